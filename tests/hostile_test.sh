#!/usr/bin/env bash
# Recipes, manifests and images that nobody vouches for: hostile_test.sh PROGRAM
# Each ends with status 1, 2, 3, 5 or 6 and one message, quickly, and nothing is written outside the
# recipe's folder.
# shellcheck disable=SC2016,SC2154 # the ${...} of recipes; the variables of cli_lib.sh
# shellcheck source=tests/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"

tried=0

# hostile CALL...: the program refuses, in time, with one message of its own.
hostile() {
    local got=0
    tried=$((tried + 1))
    timeout 20 "$karst" "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
    case $got in
    1 | 2 | 3 | 5 | 6) one_message "" "karst $* ($(head -c 200 "${!#}" 2>/dev/null | tr '\n\0' '  '))" ;;
    *) fault "karst $*: status $got: $(head -c 400 "${!#}" | tr '\n\0' '  ')" ;;
    esac
}

# recipe TEXT: a recipe of this text is refused.
recipe() {
    printf '%s' "$1" >bad.json
    hostile run bad.json
}

good_recipe='{"karst": 1, "folder": "out", "variables": {"v": 64}, "seeds": "0..1", "assets": {"a":
{"generator": "crack", "size": "${v}x64", "cell": 0.02, "parameters": {"depth": 0.04},
"require": ["plates>=1"], "outputs": ["mask=m_{seed}.png"]}}}'
printf '%s' "$good_recipe" >good.json
good run good.json
rm -r out
touch outside.png
before=$(find . -not -name 'bad*' -not -name . -printf '%p %s %T@\n' | sort)

# Cut off anywhere.
for ((cut = 0; cut < ${#good_recipe}; cut += 6)); do
    recipe "${good_recipe:0:cut}"
done

# Every value of another type, too large, too deep, not a number.
deep=$(printf '[%.0s' {1..5000})
for value in null '[]' '{}' '-1' '1e999' '1e308' 'true' '"\u0000"' '"../x"' '18446744073709551616' \
    '[[1]]' '""' "$deep"; do
    for key in '1' '"out"' '{"v": 64}' '"0..1"' '"crack"' '"${v}x64"' '0.02' '{"depth": 0.04}' \
        '["plates>=1"]' '["mask=m_{seed}.png"]'; do
        text=${good_recipe/": $key"/": $value"}
        # What is allowed all the same.
        [[ $key == '{"v": 64}' && $value != '{}' ]] || [[ $key != '{"v": 64}' ]] || continue
        [[ $key$value == '{"depth": 0.04}{}' || $key$value == '["plates>=1"][]' ]] && continue
        [[ $key$value == '"0..1""\u0000"' ]] && continue # a seed may be any text
        recipe "$text"
    done
done

# Names of outputs that would leave the folder, and others that are none.
for name in ../x.png a/../../x.png /x.png ./x.png a/./x.png '..\\\\x.png' - -.png '' '.' '..' 'a/' \
    '{seed' '{nothing}.png' 'x.png/../../y.png' 'mask=../x.png' 'mask=/x.png' 'x' 'x.nothing' \
    'nothing=../x.png' "$(printf 'x%.0s' {1..300}).png" 'a\u0000.png'; do
    recipe "${good_recipe/'mask=m_{seed}.png'/$name}"
done
recipe "${good_recipe/'m_{seed}'/m}" # two seeds, one file
# One file spelt in two ways, by later seeds; and the manifest of another.
recipe '{"karst": 1, "folder": "out", "assets": {"a": {"generator": "crack", "size": "64x64", "seeds": "1,2", "outputs":
    ["x/{seed}.png"]}, "b": {"generator": "crack", "size": "64x64", "seeds": "3,2", "outputs": ["x//{seed}.png"]}}}'
grep -q "'out/x/2.png' is written twice" "$work/err" || fault "x//2.png: $(<"$work/err")"
recipe '{"karst": 1, "folder": "out", "assets": {"a": {"generator": "crack", "size": "64x64", "seeds": "1,2", "outputs":
    ["{seed}.png"]}, "b": {"generator": "crack", "size": "64x64", "seeds": "3,2", "outputs":
    ["graph={seed}.png.karst.json"]}}}'
grep -q "is written twice" "$work/err" || fault "a manifest's name: $(<"$work/err")"
recipe "${good_recipe/'"out"'/'"../elsewhere"'}"
recipe "${good_recipe/'"out"'/'"/elsewhere"'}"
rm -rf out
mkdir out
ln -s .. out/up
ln -s ../outside.png out/m_0.png
recipe "$good_recipe"
recipe "${good_recipe/'m_{seed}'/'up/m_{seed}'}"
rm -r out
mkdir out
ln -s ../outside.png out/m_0.png.karst.json # a manifest is a file too
recipe "$good_recipe"
rm -r out
ln -s .. out
recipe "$good_recipe"
rm out
mkdir -p 'out/k=v'
ln -s ../../.. 'out/k=v/up'
recipe "${good_recipe/'mask=m_{seed}'/'k=v/up/m_{seed}'}"
printf '%s' "${good_recipe/'mask=m_{seed}'/"L=$work/evil/m_{seed}"}" >bad.json # a name, no layer
good run bad.json
[[ ! -e $work/evil && ! -e $work/run/m_0.png ]] || fault "an output left the folder"
rm -r out
long=$(printf '${v}%.0s' {1..4000})
recipe "${good_recipe/'${v}x64'/$long}"

# Keys, variables and recipes in a circle.
recipe "${good_recipe/'"cell"'/'"cel"'}"
recipe "${good_recipe/'"karst": 1'/'"karst": 2'}"
recipe "${good_recipe/'"karst": 1, '/}"
recipe "${good_recipe/'"karst": 1'/'"karst": 1, "karst": 1'}"
recipe "${good_recipe/'"depth"'/'"dept"'}"
recipe "${good_recipe/'${v}'/'${w}'}"
recipe "${good_recipe/'${v}'/'${v'}"
recipe "${good_recipe/'"a":'/'"a/b":'}"
recipe "${good_recipe/'"folder"'/'"extends": "bad.json", "folder"'}"
recipe "${good_recipe/'"folder"'/'"extends": "missing.json", "folder"'}"
recipe "${good_recipe/'"folder"'/'"extends": 7, "folder"'}"
recipe "${good_recipe/'"0..1"'/'"0..99999999999"'}"
recipe "${good_recipe/'"0..1"'/'"9..1"'}"
recipe "${good_recipe/'${v}x64'/'999999999999x64'}"
printf '\xff\xfe{\x00}\x00' >bad.json
hostile run bad.json
recipe "$(printf '{"karst": 1, "assets": {"\xc3\x28": 1}}')"
head -c 20000000 /dev/zero | tr '\0' ' ' >bad.json # larger than any recipe
hostile run bad.json
rm bad.json
hostile run bad.json
hostile run .
hostile run /dev/null

# Manifests.
good run good.json --seed 1
cp out/m_1.png.karst.json manifest.json
cp out/m_1.png .
size=$(wc -c <manifest.json)
sed -i 's/m_1.png/m_1.png/' manifest.json
for ((cut = 0; cut < size - 2; cut += 90)); do
    head -c "$cut" manifest.json >bad.karst.json
    hostile verify bad.karst.json
done
for edit in 's/"seed": "[^"]*"/"seed": 7/' 's/"cell": 0.02/"cell": "x"/' 's/"cell": 0.02/"cell": -1/' \
    's/"generator": "crack"/"generator": "dragon"/' 's/"depth": 0.04/"depth": 1e300/' \
    's/"depth": 0.04/"dept": 0.04/' 's/"depth": 0.04/"depth": [1]/' 's/"name": "mask"/"name": "height"/' \
    's/"file": "m_1.png"/"file": "..\/..\/..\/etc\/passwd"/' 's/"stages": \[/"stages": 7, "x": [/' \
    's/"digest"/"digest_"/' '0,/64/s/64/99999999999/' '0,/64/s/64/0/' \
    's/"algorithm_version": 1/"algorithm_version": 99/' 's/"layer": {/"layer": 3, "y": {/' \
    's/"file_digest": "0x/"file_digest": "0xf/' 's/"cell": 0.02,/"cell": 0.02, "inputs": [7],/' \
    's/"cell": 0.02,/"cell": 0.02, "inputs": [{"name": "shape", "file": "\/dev\/zero", "digest": "0"}],/' \
    's/"cell": 0.02,/"cell": 0.02, "options": {"outputs": "x"},/'; do
    sed "$edit" manifest.json >bad.karst.json
    if cmp -s manifest.json bad.karst.json; then
        fault "the edit $edit changes nothing"
    fi
    hostile verify bad.karst.json
done

rm -rf out bad.json bad.karst.json manifest.json m_1.png
after=$(find . -not -name 'bad*' -not -name . -printf '%p %s %T@\n' | sort)
[[ $after == "$before" ]] || fault "something is left: $after"
echo "$tried hostile files"
report

#!/usr/bin/env bash
# Recipes and manifests from outside: recipe_test.sh PROGRAM
# shellcheck disable=SC2016,SC2154 # the ${...} of recipes; the variables of cli_lib.sh
# shellcheck source=tests/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"

cat >base.json <<'END'
{"karst": 1, "variables": {"side": 64}, "assets": {"plate": {"generator": "crack", "cell": 0.02}}}
END
cat >r.json <<'END'
// Comments are allowed.
{
  "karst": 1,
  "extends": "base.json",
  "folder": "out",
  "variables": {"spacing": 200},
  "assets": {
    "hill": {"generator": "heightmap", "size": "${side}x${side}", "cell": 8,
             "parameters": {"valley_spacing": "${spacing}"},
             "outputs": ["{name}_{res}.png", "flow=deep/{name}_{layer}.npy"]},
    "plate": {"size": ["${side}", 64], "seeds": "3..5", "require": ["plates>=1"],
              "outputs": ["mask={name}_{seed}.png"]}
  }
}
END
files='deep/hill_flow.npy hill_64.png plate_3.png plate_4.png plate_5.png'

# --- Running ----------------------------------------------------------------------------------

good run r.json --list --json
output_has '"id": "plate/4"'
good run r.json --list
[[ $(<"$work/out") == $'0 plate/3\n1 plate/4\n2 plate/5\n3 hill' ]] || fault "--list: $(<"$work/out")"
[[ ! -e out ]] || fault "--list makes a folder"
good run r.json --dry-run --json
output_has '"memory_bytes": '
[[ ! -e out ]] || fault "--dry-run makes a folder"

good run r.json
for file in $files; do
    present "out/$file" "out/$file.karst.json"
done
grep -q '"valley_spacing": 200.0' out/hill_64.png.karst.json || fault "a variable is not the parameter"
grep -q '"asset": "hill"' out/hill_64.png.karst.json || fault "the manifest does not name the asset"
grep -aq 'karst:recipe.r.json: hill' out/hill_64.png || fault "the PNG does not name the recipe"

# What is unchanged is not made again, and every byte is the same when it is.
cp -r out first
good run r.json --json
[[ $(grep -c '"state": "unchanged"' "$work/out") == 4 ]] || fault "a second run makes something"
good run r.json --force --json
[[ $(grep -c '"state": "made"' "$work/out") == 4 ]] || fault "--force skips something"
diff -r out first || fault "another run gives other bytes"
good run r.json --force --jobs 3 --threads 2
diff -r out first || fault "--jobs 3 gives other bytes"
printf 'x' | dd of=out/plate_3.png bs=1 seek=60 conv=notrunc 2>/dev/null
rm out/hill_64.png
good run r.json --json
[[ $(grep -c '"state": "made"' "$work/out") == 2 ]] || fault "a changed file is not made again"
diff -r out first || fault "what was made again has other bytes"

# What engines read beside the tiles is looked at too, and make learns of each tile.
cat >land.json <<'END'
{"karst": 1, "folder": "land", "assets": {"vale": {"generator": "heightmap", "size": "65x33",
 "profile": "unity", "tiles": "2x1", "outputs": ["Vale.raw"]}}}
END
good run land.json --depfile land.d
# shellcheck disable=SC1003 # the line goes on
[[ $(head -n 1 land.d) == 'land/Vale_0_0.raw land/Vale_1_0.raw land/Vale.raw.import.json: \' ]] ||
    fault "depfile of tiles: $(<land.d)"
good run land.json --json
output_has '"state": "unchanged"'
cp -r land land_first
printf 'x' | dd of=land/Vale.raw.import.json bs=1 seek=9 conv=notrunc 2>/dev/null
bad 6 "import.json' has other bytes" verify land/Vale_1_0.raw
good run land.json --json
output_has '"state": "made"'
diff -r land land_first || fault "what stands beside tiles is not made again"

# An asset of a recipe is what the command makes by itself.
good heightmap --size 64x64 --cell 8 --valley-spacing 200 -o alone.npy --json
digest=$(grep -m 1 -o '"digest": "[^"]*"' "$work/out")
grep -qF "$digest" out/hill_64.png.karst.json || fault "a recipe's asset has another digest"

# The command line lays itself over the recipe.
good run r.json --only plate --seed 9 --folder elsewhere --set side=32
present elsewhere/plate_9.png
grep -q '32' elsewhere/plate_9.png.karst.json || fault "--set does not set the variable"
good run r.json --only hill --folder elsewhere --set hill.relief=77
grep -q '"relief": 77.0' elsewhere/hill_64.png.karst.json || fault "--set does not set a parameter"

# Farms: shards cover all once, a cache gives the same, reports say what happened.
for part in 0 1 2; do
    good run r.json --shard $part/3 --folder shards --cache fields
done
ls fields/*.field >/dev/null || fault "the cache is empty"
good run r.json --folder cached --cache fields
for file in $files; do
    cmp "out/$file" "shards/$file" || fault "shards: $file"
    cmp "out/$file" "cached/$file" || fault "cache: $file"
done
field=$(find fields -name '*.field' | head -n 1)
printf 'x' | dd of="$field" bs=1 seek=300 conv=notrunc 2>/dev/null
good run r.json --folder damaged --cache fields
diff -r damaged cached || fault "a damaged field of the cache is used"
good run r.json --junit junit.xml --depfile out.d --report report.json
grep -q 'tests="4" failures="0" errors="0"' junit.xml || fault "JUnit: $(head -n 3 junit.xml)"
grep -q 'out/plate_3.png.*:' out.d || fault "depfile: $(<out.d)"
grep -q 'base.json' out.d || fault "depfile: $(<out.d)"
present report.json

# What is wrong in a recipe that is extended is said to stand there.
for fault in '"cel": 0.02' '"cell": "x"' '"parameters": {"depth": "deep"}' '"outputs": ["../x.png"]' \
    '"size": "${nothing}x9"'; do
    printf '{"karst": 1, "assets": {"a": {"generator": "crack", "outputs": ["a.png"], %s}}}' "$fault" |
        sed 's/"outputs": \["a.png"\], "outputs"/"outputs"/' >faulty.json
    echo '{"karst": 1, "extends": "faulty.json", "assets": {"b": {"generator": "cave", "outputs": ["b.png"]}}}' >top.json
    bad 3 "faulty.json#/assets/a" run top.json --dry-run
done
echo '{"karst": 1, "assets": {"a": {"generator": "crack", "outputs": ["a.png"]}}}' >faulty.json
echo '{"karst": 1, "extends": "faulty.json", "assets": {"a": {"cel": 1}}}' >top.json
bad 3 "top.json#/assets/a" run top.json --dry-run

# The estimate counts painted maps: twice 8 MiB.
good simulate life --soup 0 --size 2048x2048 -o paint.png
memory() { # RECIPE'S REST [GENERATOR FILE]
    echo '{"karst": 1, "assets": {"m": {"generator": "'"${2:-cave}"'", "size": "64x64",
     "outputs": ["'"${3:-m.png}"'"]'"$1"'}}}' >memory.json
    good run memory.json --dry-run --json
    grep -o '"memory_bytes": [0-9]*' "$work/out" | grep -o '[0-9]*$'
}
(($(memory ', "food": "paint.png"') - $(memory '') >= 1 << 24)) || fault "the estimate misses painted maps"

(($(memory ', "holes": "paint.png", "profile": "generic"' heightmap m.exr) -
    $(memory ', "profile": "generic"' heightmap m.exr) >= 1 << 23)) || fault "the estimate misses holes"

# An asset with an earlier network is estimated as it is made.
cat >pin.json <<'END'
{"karst": 1, "assets": {"old": {"generator": "cave", "size": "256x256", "outputs": ["old.png"%s]}}}
END
sed 's/%s/, "network=old.json"/' pin.json >old_net.json
good run old_net.json
sed 's/"old.png"%s/"new.png"/; s/"outputs"/"pin": "old.json", "grow": "paint.png", &/' pin.json >new_net.json
good run new_net.json --dry-run --json
output_has '"memory_bytes": '
sed 's/"grow": "paint.png", //' new_net.json >no_grow.json
bad 1 "old: " run no_grow.json --dry-run

# No output, of a later seed either, takes the place of what is read, or of a level of detail.
cat >own.json <<'END'
{"karst": 1, "assets": {
 "a": {"generator": "cave", "size": "64x64", "food": "sub/../paint_8.png", "outputs": ["a.png"]},
 "b": {"generator": "cave", "size": "64x64", "seeds": "7..8", "outputs": ["paint_{seed}.png"]}}}
END
cp paint.png paint_8.png
mkdir sub
bad 3 "'paint_8.png' is written by 'b/8' and read too" run own.json
bad 3 "/paint_8.png' is written by 'b/8' and read too" run own.json --folder "$PWD"
sed 's/paint_{seed}/own_{seed}/' own.json >others.json
good run others.json --list
cat >levels.json <<'END'
{"karst": 1, "assets": {
 "a": {"generator": "cave", "size": "40x31x26", "outputs": ["shell=a_11_3.glb"]},
 "b": {"generator": "cave", "size": "40x31x26", "seeds": "2,11", "outputs": ["lods=a_{seed}_{lod}.glb"]}}}
END
bad 3 "'a_11_3.glb' is written twice, the second time by 'b/11'" run levels.json
good run levels.json --seed 2 --list --json
output_has '"a_2_3.glb"'

# Approved digests.
bad 2 "r.json.lock" run r.json --locked
good run r.json --update-lock
good run r.json --locked
status 6 run r.json --locked --set hill.relief=99
grep -q "approved is" "$work/err" || fault "--locked: $(<"$work/err")"
diff -r out first || fault "--locked writes what is not approved"
status 6 run r.json --locked --only plate --seed 8
grep -q "approves none" "$work/err" || fault "--locked, an unknown item: $(<"$work/err")"

# A requirement that is not met fails its own asset, and the others are made.
sed 's/plates>=1/plates>=1000/' r.json >strict.json
status 6 run strict.json --folder strict --junit junit.xml
present strict/hill_64.png
[[ ! -e strict/plate_3.png ]] || fault "an asset that fails its requirement is written"
grep -q 'failures="3"' junit.xml || fault "JUnit: $(head -n 3 junit.xml)"
cp -r out again
status 6 run strict.json --folder again # what is unchanged must meet a new requirement too
good run r.json --only hill --folder 'odd=1/sub'
present 'odd=1/sub/hill_64.png'

# --- Verifying --------------------------------------------------------------------------------

mapfile -t manifests < <(find out -name '*.karst.json')
good verify "${manifests[@]}" --threads 3
good verify out/plate_3.png
cp -r out broken
printf 'x' | dd of=broken/plate_3.png bs=1 seek=60 conv=notrunc 2>/dev/null
bad 6 "other bytes" verify broken/plate_3.png
sed -i '/"stages"/,$s/0x[0-9a-f]\{16\}/0x0123456789abcdef/' broken/plate_4.png.karst.json
bad 6 "first stage that differs is 'primary network'" verify broken/plate_4.png
sed -i '/"layer"/,/}/s/0x[0-9a-f]\{16\}/0x0123456789abcdef/' broken/plate_5.png.karst.json
bad 6 "the layer 'mask' differs" verify broken/plate_5.png
sed -i '0,/"scale": [^,]*/s//"scale": 5.0/' broken/hill_64.png.karst.json
bad 6 "'scale' of the layer" verify broken/hill_64.png
rm broken/hill_64.png
bad 6 "missing" verify broken/hill_64.png
bad 2 "nothing.karst.json" verify nothing
sed 's/"karst_manifest": 2/"karst_manifest": 1/' out/plate_3.png.karst.json >old.png.karst.json
bad 5 "another version" verify old.png

# A mesh that shaped a cave is part of the job.
cat >box.obj <<'END'
v 4 2 4
v 20 2 4
v 20 10 4
v 4 10 4
v 4 2 20
v 20 2 20
v 20 10 20
v 4 10 20
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
END
cat >cave.json <<'END'
{"karst": 1, "folder": "caves", "assets": {"den": {"generator": "cave", "size": "48x48x32",
 "parameters": {"entrances": 0}, "shape": "box.obj", "short_indices": true, "outputs": ["den.glb", "volume=den.npy"]}}}
END
good run cave.json
good verify caves/den.glb caves/den.npy
good run cave.json --json
output_has '"state": "unchanged"'
# A level of detail a file.
sed 's/"den.glb", "volume=den.npy"/"{name}_{lod}.glb", "lods=all.glb"/' cave.json >lods.json
good run lods.json --depfile lods.d
# shellcheck disable=SC1003 # the line goes on
[[ $(head -n 1 lods.d) == 'caves/den_0.glb caves/den_1.glb caves/den_2.glb caves/den_3.glb caves/all.glb: \' ]] ||
    fault "depfile of levels: $(<lods.d)"
for level in 0 1 2 3; do
    grep -aq "\"name\":\"cave_LOD$level" caves/den_$level.glb || fault "den_$level.glb: another level"
    [[ $(grep -c '"name": "cave_LOD' caves/den_$level.glb.karst.json) == 1 ]] || fault "den_$level.glb: other levels"
done
[[ $(grep -c '"name": "cave_LOD' caves/all.glb.karst.json) == 4 ]] || fault "there are not four levels"
good verify caves/den_*.glb
good run lods.json --json
output_has '"state": "unchanged"'
sed 's/"{name}_{lod}/"lods=den_0/' lods.json >whole.json
good run whole.json --json
output_has '"state": "made"'
[[ $(grep -c '"name": "cave_LOD' caves/den_0.glb.karst.json) == 4 ]] || fault "a level passes as the whole mesh"
good run lods.json --json
[[ $(grep -c '"state": "made"' "$work/out") == 1 ]] || fault "the whole mesh passes as a level"
bad 1 "allowed is a name without it, or the layer lods" cave --size 40x31x26 -o 'shell=n_{lod}.glb'
bad 1 "allowed is a name without it" crack --size 64x64 -o 'mask=n_{lod}.png'
bad 1 "allowed is a folder without it" cave --size 40x31x26 -o 'lods={lod}/n.glb'
sed -i 's/v 20 10 20/v 20 11 20/' box.obj
bad 6 "has changed" verify caves/den.glb
good run cave.json --json
output_has '"state": "made"'

# --- Killed at any time: whole files only, and the next run completes them ---------------------

for round in $(seq "${KARST_KILLS:-12}"); do
    "$karst" run r.json --folder killed --force >/dev/null 2>&1 &
    process=$!
    sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
    kill -KILL $process 2>/dev/null
    wait $process 2>/dev/null
    while IFS= read -r file; do
        cmp -s "killed/$file" "out/$file" || fault "round $round: killed/$file is not whole"
    done < <(cd killed 2>/dev/null && find . -type f -not -name '.karst-*')
done
good run r.json --folder killed
for file in $files; do
    cmp "out/$file" "killed/$file" || fault "a run after the kills: $file"
done

# --- Tables -----------------------------------------------------------------------------------

good params --schema
output_has '"valley_spacing"'
if python3 -c 'import jsonschema' 2>/dev/null; then
    "$karst" params --schema >schema.json
    python3 - schema.json <<'EOF' || fault "the schema takes what is none or refuses a recipe"
import json, jsonschema, sys
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
valid = jsonschema.Draft202012Validator(schema).is_valid
crack = {"generator": "crack", "outputs": ["m.png"]}
over = {"karst": 1, "extends": "b.json"}
assert valid({"karst": 1, "assets": {"a": crack}})
assert valid(over)
for patch in (None, {"seeds": [7, 8]}, {"size": [64, 64], "seed": None}):
    assert valid({**over, "assets": {"a": patch}}), patch
assert not valid({"karst": 1})
assert not valid({"karst": 2, "assets": {"a": crack}})
assert not valid({**over, "assets": {"a": {"seedz": [7]}}})
for asset in (None, {"generator": "crack"}, {**crack, "relif": 3}, {**crack, "generator": "craque"},
              {**crack, "parameters": {"glow": 3}}):
    assert not valid({"karst": 1, "assets": {"a": asset}}), asset
EOF
fi
report

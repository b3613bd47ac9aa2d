#!/usr/bin/env bash
# admesh finds closed surfaces without a fault in the STL files: admesh.sh FOLDER
# With a volumes.txt there it measures their volumes, too; a surface of negative volume it turns
# inside out. Exit status 77 where admesh is not installed. It always exits with 0, so its text is
# read.
# shellcheck source=tests/judges/judge.sh
source "$(dirname "$0")/judge.sh"
start admesh "$1"

for file in *.stl; do
    report=$(admesh "$file")
    facets=$(awk '$1 == "'"$file"'" { print $3 }' counts.txt)
    volume=$(sed -n 's/.*Volume *: *//p' <<<"$report")
    reversed=0
    if grep -q "volume is negative" <<<"$report"; then
        reversed=$facets
        volume=-$volume
    fi
    for line in "Number of facets *: *$facets " "Total disconnected facets *: *0 " \
        "Degenerate facets *: *0$" "Facets reversed *: *$reversed$" "Backwards edges *: *0$" \
        "Normals fixed *: *0$"; do
        if ! grep -qE "$line" <<<"$report"; then
            fail "$(printf '%s: no line like "%s" in\n%s' "$file" "$line" "$report")"
        fi
    done
    if [[ -e volumes.txt ]]; then
        check_volume "$file" "$volume"
    elif ((reversed > 0)); then
        fail "$file: inside out"
    fi
done
finish

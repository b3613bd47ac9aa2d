#!/usr/bin/env bash
# admesh finds closed surfaces without a fault in the STL files: admesh.sh FOLDER
# Exit status 77 where admesh is not installed. It always exits with 0, so its text is read.
set -uo pipefail
export LC_ALL=C
if ! command -v admesh >/dev/null; then
    echo "skipped: admesh is not installed"
    exit 77
fi
cd "$1" || exit 2
failures=0
for file in *.stl; do
    report=$(admesh "$file")
    facets=$(awk '$1 == "'"$file"'" { print $3 }' counts.txt)
    for line in "Number of facets *: *$facets " "Total disconnected facets *: *0 " \
        "Degenerate facets *: *0$" "Facets reversed *: *0$" "Backwards edges *: *0$" \
        "Normals fixed *: *0$"; do
        if ! grep -qE "$line" <<<"$report"; then
            printf '%s: no line like "%s" in\n%s\n' "$file" "$line" "$report"
            failures=$((failures + 1))
        fi
    done
done
exit "$((failures > 0))"

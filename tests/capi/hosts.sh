#!/usr/bin/env bash
# Hosts in C and C++ give the digests that the command line prints:
# hosts.sh KARST CAVE_IN_C ENGINE_HOST CPP_HOST
set -euo pipefail
karst=$1 cave_in_c=$2 engine_host=$3 cpp_host=$4

# "LAYER DIGEST" of one layer of a report.
line() {
    awk -v layer="$1" -F'"' '$2 == "name" { name = $4 }
        $2 == "digest" && name == layer { print name, $4; exit }'
}
same() {
    if [[ -z $2 || $2 != "$3" ]]; then
        echo "$1: '$2' on the command line, '$3' in the host" >&2
        exit 1
    fi
}
cave=$("$karst" cave --seed "old mine" --size 256x256 --passage-width 6 --json --quiet | line map)
terrain=$("$karst" heightmap --seed 7 --size 129x129 --cell 8 --json --quiet | line height)
same cave_in_c "$cave" "$("$cave_in_c")"
same engine_host "$terrain" "$("$engine_host" 2>/dev/null)"
same cpp_host "$cave"$'\n'"$terrain" "$("$cpp_host")"

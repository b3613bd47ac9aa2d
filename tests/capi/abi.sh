#!/usr/bin/env bash
# The binary interface is the stored one: abi.sh CC ABIDW ABIDIFF HEADER STORED
# It is what the header says, so a library whose functions do nothing is enough: the compiler has
# compared the real ones with the header. With UPDATE=1 the interface is stored anew.
set -euo pipefail
cc=$1 abidw=$2 abidiff=$3 header=$4 stored=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cc" -E -P "$header" |
    sed -zE 's/\n(__attribute__[^;]*[ *])(karst_[a-z0-9_]+\([^;{]*\));/\n\1\2 { __builtin_trap(); }/g' \
        >"$work/interface.c"
(cd "$work" && "$cc" -std=c11 -g -O0 -fPIC -shared interface.c -o interface.so)
functions=$(grep -oE '\bkarst_[a-z0-9_]+\(' "$header" | sort -u | wc -l)
found=$(nm -D --defined-only "$work/interface.so" | grep -c ' T karst_')
if ((functions != found)); then
    echo "$functions functions in $header, $found of them compiled" >&2
    exit 1
fi
if [[ -n ${UPDATE-} ]]; then
    "$abidw" --no-show-locs --no-comp-dir-path --no-corpus-path --no-elf-needed \
        "$work/interface.so" >"$stored"
    exit
fi
status=0
"$abidiff" "$stored" "$work/interface.so" || status=$?
if ((status != 0)); then
    echo "karst.h differs from $stored (status $status of abidiff; with 8 it breaks programs);" \
        "a change that is meant: UPDATE=1, and a line in CHANGELOG.md" >&2
fi
exit "$status"

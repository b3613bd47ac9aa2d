#!/usr/bin/env bash
# All C++ and CUDA sources are as clang-format 14 leaves them: format.sh ROOT
# Exit status 77: no clang-format 14 here.
set -euo pipefail
cd "$1"
formatter=$(command -v clang-format-14 || command -v clang-format || true)
if [[ -z $formatter ]] || [[ $("$formatter" --version) != *" version 14."* ]]; then
    echo "skipped: there is no clang-format 14"
    exit 77
fi
folders=()
for folder in include src cuda generators tests bench examples; do
    if [[ -d $folder ]]; then
        folders+=("$folder")
    fi
done
find "${folders[@]}" \( -name '*.[hc]pp' -o -name '*.[hc]' -o -name '*.cu' -o -name '*.cuh' \) \
    -print0 | xargs -0 "$formatter" --dry-run -Werror

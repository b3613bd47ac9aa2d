#!/usr/bin/env bash
# Every public header compiles alone, and twice: headers.sh ROOT COMPILER...
set -euo pipefail
root=$1
shift
faults=0
for compiler in "$@"; do
    for header in "$root"/include/karst/*.hpp; do
        name=karst/${header##*/}
        if [[ $name == karst/cuda.hpp ]]; then
            continue # needs the CUDA headers
        fi
        if ! printf '#include <%s>\n#include <%s>\n' "$name" "$name" |
            "$compiler" -x c++ -std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
                -I"$root/include" -; then
            echo "$name does not compile alone with $compiler"
            faults=1
        fi
    done
done
exit "$faults"

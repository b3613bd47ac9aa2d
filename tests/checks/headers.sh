#!/usr/bin/env bash
# Every public header compiles alone, and twice; and all together with each further compiler:
#     headers.sh ROOT COMPILER...
# karst/cuda.hpp is left out unless CUDA_INCLUDE names the folder of CUDA's headers.
set -euo pipefail
root=$1
compiler=$2
shift 2
faults=0

# compiles COMPILER: the lines of the standard input.
compiles() {
    "$1" -x c++ -std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$root/include" \
        "${cuda[@]}" -
}

all=()
cuda=()
if [[ -n ${CUDA_INCLUDE:-} ]]; then
    cuda=(-isystem "$CUDA_INCLUDE")
fi
for header in "$root"/include/karst/*.hpp; do
    line="#include <karst/${header##*/}>"
    if [[ $line == *'<karst/cuda.hpp>' ]] && ((${#cuda[@]} == 0)); then
        continue
    fi
    all+=("$line")
    if ! printf '%s\n' "$line" "$line" | compiles "$compiler"; then
        echo "karst/${header##*/} does not compile alone with $compiler"
        faults=1
    fi
done
for other in "$@"; do
    if ! printf '%s\n' "${all[@]}" | compiles "$other"; then
        echo "the public headers do not compile with $other"
        faults=1
    fi
done
exit "$faults"

#!/usr/bin/env bash
# What the arithmetic contract forbids by word, marks of conflicts, and the size of files:
# lint.sh ROOT
# Prints every place and exits with 1 if there is one.
set -euo pipefail
cd "$1"
faults=0

# forbid PATTERN REASON FOLDER...: no line of the sources below FOLDER... may match.
forbid() {
    local pattern=$1 reason=$2 found
    shift 2
    local folders=()
    for folder in "$@"; do
        if [[ -d $folder ]]; then
            folders+=("$folder")
        fi
    done
    if ((${#folders[@]} > 0)) && found=$(grep -rnE --include='*.[hc]pp' --include='*.cu' \
        --include='*.cuh' "$pattern" "${folders[@]}"); then
        printf '%s\n    ^ %s\n' "$found" "$reason"
        faults=1
    fi
}

hashed=(src/core src/rules src/sim src/cpu src/shape cuda generators src/lab)
forbid 'fast[-_]math|-Ofast|pragma.*(optimize|STDC +FP)' "changes float results" "${hashed[@]}"
forbid 'random_device|mt19937|_distribution<|\<s?rand\(' "draws come from core/rng.hpp" \
    "${hashed[@]}"
forbid 'unordered_(map|set|multi)|std::hash<' "no fixed order" "${hashed[@]}"
forbid 'atomicAdd\([^;]*(float|double)|atomic(_ref)?<(float|double)>' "order changes float sums" \
    "${hashed[@]}"
forbid '__(expf|logf|powf|sinf|cosf|fdividef|frcp|fsqrt|fmaf)|\<(std::)?fmaf?\(' \
    "not the same on every device" "${hashed[@]}"
forbid '\<(float|double)\>' "rules are integers" src/rules
# The sine table alone may ask the math library: its checksum is verified.
libm='\<(std::)?(a?(sin|cos|tan)h?|atan2|exp2?|expm1|log(2|10|1p)?|pow|hypot|cbrt|fmod|erf)f?\('
allowed='^src/core/fixed\.cpp:[0-9]+: +const double sine = std::sin\(std::numbers::pi / 2 \* i'
found=$(forbid "$libm" "" "${hashed[@]}" | grep -vE "$allowed|^    \^ $" || true)
if [[ -n $found ]]; then
    printf '%s\n    ^ no math library in what is hashed or measured\n' "$found"
    faults=1
fi

# What a merge left behind, in all files that git knows; outside of a checkout, in all.
tracked() {
    git ls-files -z 2>/dev/null || find . -type f -print0
}
found=$(tracked | xargs -0 grep -HnIsE '^(<{7}|\|{7}|>{7}) ' -- || true)
if [[ -n $found ]]; then
    printf '%s\n    ^ a conflict that nobody resolved\n' "$found"
    faults=1
fi

# Files that nobody wants to read in one sitting.
while IFS= read -r -d '' file; do
    lines=$(wc -l <"$file")
    if ((lines > 600)); then
        echo "$file has $lines lines; 600 are allowed"
        faults=1
    fi
done < <(find . \( -path ./build -o -path ./out -o -path ./.git \) -prune -o -type f \
    \( -name '*.[hc]pp' -o -name '*.h' -o -name '*.c' -o -name '*.cu' -o -name '*.cuh' \
    -o -name '*.cmake' -o -name CMakeLists.txt -o -name '*.sh' \) -print0)
exit "$faults"

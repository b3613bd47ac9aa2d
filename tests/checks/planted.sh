#!/usr/bin/env bash
# Every check can fail: plants one fault at a time and expects the check to name it.
#     planted.sh ROOT COMPILER [NVCC]
set -euo pipefail
root=$1
compiler=$2
nvcc=${3:-}
checks=$root/tests/checks
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
faults=0

# plant FILE LINE... writes a file of a small source tree of its own.
plant() {
    rm -rf "${work:?}/tree"
    mkdir -p "$work/tree/$(dirname "$1")"
    printf '%s\n' "${@:2}" >"$work/tree/$1"
}
# rejects NAME CHECK ARGUMENT...: the check must fail and print NAME. accepts: it must pass.
rejects() {
    local status=0 output
    output=$(bash "$checks/$2" "${@:3}" 2>&1) || status=$?
    if ((status != 1 && status != 123)) || [[ $output != *"$1"* ]]; then
        echo "not found by $2 (status $status): $1"
        echo "$output"
        faults=1
    fi
}
accepts() {
    if ! bash "$checks/$1" "${@:2}" >"$work/log" 2>&1; then
        echo "wrongly rejected by $1:"
        cat "$work/log"
        faults=1
    fi
}

while read -r file include; do
    plant "$file" "#include $include"
    rejects "$file:1: " layering.sh "$work/tree"
done <<'END'
include/karst/planted.hpp "core/fixed.hpp"
include/karst/planted.hpp <cuda_runtime.h>
include/karst/planted.hpp <karst/cuda.hpp>
include/karst/cuda.hpp <cuda.h>
src/core/planted.cpp "rules/life.hpp"
src/core/planted.cpp <png.h>
src/rules/planted.hpp "sim/devices.hpp"
src/rules/planted.hpp <cmath>
src/rules/planted.hpp <math.h>
src/sim/planted.cpp "cpu/physarum.hpp"
src/sim/planted.cpp "../cuda/check.cuh"
src/cpu/planted.cpp "cuda/check.cuh"
src/cpu/planted.cpp <cuda_runtime.h>
cuda/planted.cu "cpu/physarum.hpp"
src/shape/planted.cpp "sim/devices.hpp"
src/io/planted.cpp "shape/shape.hpp"
src/io/planted.cpp "generators/registry.hpp"
generators/planted.cpp "io/png.hpp"
generators/planted.cpp "rules/life.hpp"
generators/planted.cpp "cpu/physarum.hpp"
generators/planted.cpp "lab/statistics.hpp"
src/io/planted.cpp "lab/statistics.hpp"
src/lab/planted.cpp "generators/crack.hpp"
src/lab/planted.cpp "shape/shape.hpp"
src/lab/planted.cpp "io/png.hpp"
src/lab/planted.cpp <nlohmann/json.hpp>
src/cli/planted.cpp "generators/crack.hpp"
src/cli/planted.cpp "sim/physarum.hpp"
src/cli/planted.cpp <png.h>
examples/planted.cpp "core/fixed.hpp"
END
while read -r file include; do
    plant "$file" "#include $include"
    accepts layering.sh "$work/tree"
done <<'END'
include/karst/planted.hpp <karst/field.hpp>
include/karst/cuda.hpp <cuda_runtime_api.h>
examples/planted.cpp <karst/cuda.hpp>
src/rules/planted.hpp "core/rng.hpp"
src/cpu/planted.cpp "rules/life.hpp"
cuda/planted.cu <cub/cub.cuh>
cuda/planted.cu "check.cuh"
generators/planted.cpp "shape/shape.hpp"
src/lab/planted.cpp "generators/registry.hpp"
src/lab/planted.cpp "rules/life.hpp"
src/cli/planted.cpp "generators/registry.hpp"
src/cli/planted.cpp "lab/oracles.hpp"
examples/planted.cpp <irrlicht/irrlicht.h>
END

while read -r file line; do
    plant "$file" "$line"
    rejects "$file:1:" lint.sh "$work/tree"
done <<'END'
src/core/planted.cpp #pragma GCC optimize("fast-math")
src/sim/planted.cpp std::mt19937 engine(std::random_device{}());
generators/planted.cpp std::uniform_int_distribution<int> die(1, 6);
src/shape/planted.cpp std::unordered_map<int, int> labels;
cuda/planted.cu atomicAdd(&trail[i], static_cast<float>(amount));
src/cpu/planted.cpp std::atomic<float> sum;
src/shape/planted.cpp return std::fma(a, b, c);
generators/planted.cpp return std::log2(cell);
src/lab/planted.cpp return std::log(growth);
src/rules/planted.hpp double decay = 0.9;
docs/planted.md <<<<<<< HEAD
docs/planted.md >>>>>>> 1234567 (another change)
END
plant src/core/planted.cpp "int a; // fine"
accepts lint.sh "$work/tree"
plant src/io/long.cpp "$(seq 601 | sed 's|^|// |')"
rejects "long.cpp has 601 lines" lint.sh "$work/tree"

plant include/karst/planted.hpp "inline std::size_t size = 0;"
rejects "karst/planted.hpp does not compile alone" headers.sh "$work/tree" "$compiler"
plant include/karst/planted.hpp "inline int twice = 0;"
rejects "karst/planted.hpp does not compile alone" headers.sh "$work/tree" "$compiler"

# Builds whose flags allow contraction, and builds whose flags do not.
plant_build() { # FILE COMMAND
    plant "$1" "${@:3}"
    printf '[{\n"command": "%s -o planted.o -c %s",\n"file": "%s"\n}]\n' "$2" "$work/tree/$1" \
        "$work/tree/$1" >"$work/tree/compile_commands.json"
}
if [[ $(uname -m) == x86_64 ]]; then
    code="float f(float a, float b, float c) { return a * b + c; }"
    plant src/core/planted.cpp "$code"
    for contract in fast off; do
        "$compiler" -O2 -march=haswell -ffp-contract=$contract -c "$work/tree/src/core/planted.cpp" \
            -o "$work/tree/$contract.o"
    done
    rejects vfmadd no_fma.sh cpu "$work/tree/fast.o"
    accepts no_fma.sh cpu "$work/tree/off.o"
fi
if [[ -n $nvcc ]]; then
    code="__global__ void f(float *p) { p[0] = p[0] * p[1] + p[2]; }"
    plant_build cuda/planted.cu "$nvcc --fmad=true" "$code"
    rejects fma.rn no_fma.sh ptx "$work/tree"
    plant_build cuda/planted.cu "$nvcc --fmad=false" "$code"
    accepts no_fma.sh ptx "$work/tree"
fi
exit "$faults"

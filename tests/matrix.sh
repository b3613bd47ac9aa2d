#!/bin/sh
# The digest table with each compiler at -O0 and at -O3 -march=native.
#
#   tests/matrix.sh [COMPILER...]      default: g++ clang++, those that are installed
#
# Exit status 0 if all tables equal tests/golden.txt. Builds in a temporary folder; CXXFLAGS is not
# used, CMAKE_CXX_COMPILER_LAUNCHER is.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
unset CXXFLAGS
[ $# -gt 0 ] || set -- g++ clang++
status=0
for compiler in "$@"; do
    if ! command -v "$compiler" >/dev/null; then
        echo "$compiler: not installed, skipped"
        continue
    fi
    for flags in "-O0" "-O3 -march=native"; do
        build=$work/build
        rm -rf "$build"
        if ! { cmake -S "$source" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" \
            -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="$flags" -DKARST_CUDA=OFF \
            -DKARST_BUILD_EXAMPLES=OFF -DKARST_INSTALL=OFF >"$work/log" 2>&1 &&
            cmake --build "$build" --parallel 2 --target karst_golden >>"$work/log" 2>&1; }; then
            echo "$compiler $flags: does not build"
            tail -n 30 "$work/log"
            status=1
            continue
        fi
        for threads in 1 2 7; do
            if result=$("$build/tests/karst_golden" --threads $threads \
                --check "$source/tests/golden.txt"); then
                echo "$compiler $flags, $threads threads: equal"
            else
                echo "$compiler $flags, $threads threads: DIFFERS"
                echo "$result"
                status=1
            fi
        done
    done
done
exit $status

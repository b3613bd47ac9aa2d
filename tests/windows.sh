#!/usr/bin/env bash
# Tries the build of preset mingw under wine: tests/windows.sh [BUILD [PROGRAM]]
#
# The digests of tests/golden.txt; names of files beyond ASCII, and a file that replaces another one;
# a consumer of the installed DLL, with an exception out of it; with PROGRAM, a karst of this machine,
# the same bytes of files and manifests. Takes minutes, so it is no test of ctest.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:-$source/build/mingw}" && pwd)
program=${2:-}
PATH=$PATH:/usr/lib/wine
wine=$(command -v wine64 || true)
if [[ -z $wine ]]; then
    echo "windows: there is no wine64; scripts/setup-mingw installs it" >&2
    exit 1
fi
work=$(mktemp -d)
trap 'WINEPREFIX=$work/wine wineserver -k 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export WINEPREFIX=$work/wine WINEDEBUG=-all LC_ALL=C.UTF-8 # by which wine reads names
cd "$work"

fail() {
    echo "windows: $*" >&2
    exit 1
}

"$wine" "$build/karst.exe" --version
for assets in "crack --size 96x96" "cave --size 96x96" "heightmap --size 65x65 --cell 16" \
    "cave --size 48x48x32"; do
    for side in windows here; do
        mkdir -p "$side"
        if [[ $side == windows ]]; then
            command=("$wine" "$build/karst.exe")
        elif [[ -n $program ]]; then
            command=("$program")
        else
            continue
        fi
        # shellcheck disable=SC2086 # words
        (cd "$side" && "${command[@]}" $assets --seed 7 --progress none -o "Höhle.npy" \
            --device cpu >/dev/null) || fail "$side: $assets failed"
        [[ -s $side/Höhle.npy ]] || fail "$assets: no file of this name"
    done
    if [[ -n $program ]]; then
        diff -r windows here || fail "$assets: files differ"
        echo "the same files: $assets"
    fi
    if find windows -name '.karst*' | grep .; then
        fail "temporary files stayed"
    fi
done
mkdir windows/folder
for wrong in folder NUL missing/a.npy; do
    status=0
    (cd windows && "$wine" "$build/karst.exe" crack --size 64x64 -o "mask=$wrong" \
        --progress none 2>message) || status=$?
    [[ $status == 2 || $status == 1 ]] || fail "-o $wrong: status $status"
    cat windows/message
done

cmake --install "$build" --prefix "$work/prefix" >log || { cat log && exit 1; }
{ cmake -S "$source/tests/install" -B consumer -G Ninja -DCOMPONENTS=shared \
    -DCMAKE_TOOLCHAIN_FILE="$source/cmake/mingw-w64.cmake" -Dkarst_DIR="$work/prefix/lib/cmake/karst" &&
    cmake --build consumer; } >log || { cat log && exit 1; }
cp prefix/bin/*.dll consumer
"$wine" consumer/consumer.exe || fail "the consumer of the DLL failed"

"$wine" "$build/tests/karst_golden.exe" --check "$source/tests/golden.txt"
echo "windows: all right"

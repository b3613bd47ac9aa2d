#!/usr/bin/env bash
# No fused multiply-add in the code whose results are hashed:
#     no_fma.sh cpu FILE         an object or library compiled with -O2 or more for an x86-64
#                                processor that has the instruction (-march=haswell)
#     no_fma.sh ptx BUILD_DIR    the CUDA sources, compiled again to PTX with the flags of the build
# Exit status 77: nothing to check here.
set -euo pipefail
kind=$1

# Prints what is wrong in the text on the standard input.
search() { # INSTRUCTION WHERE
    if grep -m 3 -nE "$1"; then
        echo "    in $2"
        return 1
    fi
}

case $kind in
cpu)
    if ! objdump -f "$2" | grep -q x86-64; then
        echo "skipped: the check knows x86-64 only"
        exit 77
    fi
    objdump -d --no-show-raw-insn "$2" | search '\<vfn?m(add|sub)' "$2"
    echo "no fused multiply-add in $2"
    exit 0
    ;;
ptx) ;;
*)
    echo "no_fma.sh: '$kind'; allowed is cpu or ptx" >&2
    exit 2
    ;;
esac

build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Compiles one line "command": "..." of compile_commands.json again, to PTX, and searches that.
check() {
    local line=$1 output words command=()
    if command -v ccache >/dev/null; then
        command=(ccache)
    fi
    line=${line#*\"command\": \"}
    line=${line%\",}
    # shellcheck disable=SC2001 # JSON: \" and \\, in one pass from the left
    eval "words=($(sed 's/\\\(["\\]\)/\1/g' <<<"$line"))"
    for ((i = 0; i < ${#words[@]}; i++)); do
        case ${words[i]} in
        -o) i=$((i + 1)) ;;
        -c | --generate-code=*) ;;
        *) command+=("${words[i]}") ;;
        esac
    done
    output=$(mktemp -p "$2")
    if ! "${command[@]}" -arch=compute_90 -ptx -o "$output"; then
        echo "cannot compile: ${command[*]}"
        return 1
    fi
    search '\<fma\.' "${words[-1]}" <"$output"
}
export -f check search

mapfile -t lines < <(grep -B 1 -E '"file": .*/cuda/[^/]*\.cu"' "$build/compile_commands.json" |
    grep '"command":' | grep -E 'karst_objects\.dir|planted' || true)
if ((${#lines[@]} == 0)); then
    echo "skipped: this build has no such sources"
    exit 77
fi
cd "$build"
# shellcheck disable=SC2016 # expanded by the inner shell
printf '%s\0' "${lines[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'check "$2" "$1"' check "$work"
echo "${#lines[@]} sources without a fused multiply-add"

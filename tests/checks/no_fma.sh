#!/usr/bin/env bash
# No fused multiply-add in the code whose results are hashed, with the flags of the build:
#     no_fma.sh cpu|ptx BUILD_DIR      exit status 77: nothing to check here
# cpu: the C++ sources, compiled again for a processor that has the instruction (-march=haswell);
#      it contracts at -O2 as it does at -O3, in less time.
# ptx: the CUDA sources, compiled to PTX.
set -euo pipefail
export kind=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case $kind in
cpu)
    if [[ $(uname -m) != x86_64 ]]; then
        echo "skipped: the check knows x86-64 only"
        exit 77
    fi
    sources='/(src/(core|rules|sim|cpu|shape)|generators)/[^/]*\.cpp"'
    export instruction='\<vfn?m(add|sub)' extra='-O2 -march=haswell -S'
    ;;
ptx)
    sources='/cuda/[^/]*\.cu"'
    export instruction='\<fma\.' extra='-arch=compute_90 -ptx'
    ;;
*)
    echo "no_fma.sh: '$kind'; allowed is cpu or ptx" >&2
    exit 2
    ;;
esac

# Compiles one line "command": "..." of compile_commands.json again, to text, and searches that.
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
    # shellcheck disable=SC2086 # several words
    if ! "${command[@]}" $extra -o "$output"; then
        echo "cannot compile: ${command[*]} $extra"
        return 1
    fi
    if grep -m 3 -nE "$instruction" "$output"; then
        echo "    in ${words[-1]}"
        return 1
    fi
}
export -f check

mapfile -t lines < <(grep -B 1 -E "\"file\": .*$sources" "$build/compile_commands.json" |
    grep '"command":' | grep -E 'karst_objects\.dir|planted' || true)
if ((${#lines[@]} == 0)); then
    echo "skipped: this build has no such sources"
    exit 77
fi
cd "$build"
# shellcheck disable=SC2016 # expanded by the inner shell
printf '%s\0' "${lines[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'check "$2" "$1"' check "$work"
echo "${#lines[@]} sources without a fused multiply-add"

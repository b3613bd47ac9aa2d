# shellcheck shell=bash
# The beginning and the end of the judges that read a folder of samples; to be sourced. What the
# samples hold stands beside them:
#     counts.txt     FILE VERTICES TRIANGLES
#     volumes.txt    FILE LEAST MOST     signed, of closed meshes
set -uo pipefail
export LC_ALL=C
failures=0

# start PROGRAM FOLDER: into the folder. Exit status 77 where the program is not installed.
start() {
    if ! command -v "$1" >/dev/null; then
        echo "skipped: $1 is not installed"
        exit 77
    fi
    cd "$2" || exit 2
}

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# check_volume FILE VOLUME
check_volume() {
    local least most
    read -r least most < <(awk -v file="$1" '$1 == file { print $2, $3 }' volumes.txt)
    awk -v volume="$2" -v least="${least:-0}" -v most="${most:--1}" \
        'BEGIN { exit !(volume ~ /[0-9]/ && least <= volume && volume <= most) }' ||
        fail "$1: volume '$2' instead of ${least:-?} to ${most:-?}"
}

finish() {
    exit "$((failures > 0))"
}

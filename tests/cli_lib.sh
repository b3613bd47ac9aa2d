# shellcheck shell=bash
# What the tests of the command line share; sourced with the program as $1. They run in an empty
# folder, $work/run, that is gone afterwards, and end with `report`.
set -uo pipefail
export LC_ALL=C
karst=$1
work=$(mktemp -d)
cleanup() {
    if mountpoint -q "$work/full" 2>/dev/null; then
        umount "$work/full"
    fi
    rm -rf "$work"
}
trap cleanup EXIT
unset KARST_TUNING
export XDG_CACHE_HOME=$work/cache # what the user has tuned is not asked
mkdir "$work/run"
cd "$work/run" || exit 1
failures=0

fault() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

skipped() {
    echo "skipped: $*"
}

# status WANTED ARGUMENT...: runs the program; its output is in $work/out and $work/err.
status() {
    local wanted=$1 got=0
    shift
    "$karst" "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
    if ((got != wanted)); then
        fault "karst $*: status $got instead of $wanted: $(head -c 300 "$work/err")"
    fi
}

# one_message TEXT CALL: the error is one line, starts with "karst: " and holds TEXT.
one_message() {
    local lines
    lines=$(wc -l <"$work/err")
    if ((lines != 1)) || [[ $(<"$work/err") != "karst: "*"$1"* ]]; then
        fault "$2: message without '$1': $(head -c 300 "$work/err")"
    fi
}

# bad STATUS TEXT ARGUMENT...: fails so, and leaves the folder as it was.
bad() {
    local wanted=$1 text=$2 before
    shift 2
    before=$(ls -lA --time-style=full-iso)
    status "$wanted" "$@"
    one_message "$text" "karst $*"
    if [[ $(ls -lA --time-style=full-iso) != "$before" ]]; then
        fault "karst $*: left or changed something: $(ls -A)"
    fi
    if [[ -s $work/out ]]; then
        fault "karst $*: wrote to the standard output"
    fi
}

# good ARGUMENT...: succeeds without a word on the standard error.
good() {
    status 0 "$@"
    if [[ -s $work/err ]]; then
        fault "karst $*: says $(head -c 300 "$work/err")"
    fi
}

# output_has TEXT: the last good call printed TEXT.
output_has() {
    if ! grep -qF -- "$1" "$work/out"; then
        fault "no '$1' in the output: $(head -c 300 "$work/out")"
    fi
}

present() {
    local file
    for file in "$@"; do
        if [[ ! -s $file ]]; then
            fault "$file is missing or empty"
        fi
    done
}

# report: the end of a test.
report() {
    if ((failures > 0)); then
        echo "$failures failures"
        exit 1
    fi
}

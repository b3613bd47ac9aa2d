#!/usr/bin/env bash
# Every script passes shellcheck: scripts.sh ROOT      Exit status 77: no shellcheck here.
set -euo pipefail
cd "$1"
if ! command -v shellcheck >/dev/null; then
    echo "skipped: there is no shellcheck"
    exit 77
fi
scripts=(bench/*.sh tests/*.sh tests/checks/*.sh tests/judges/*.sh)
for script in scripts/* .ci/run; do
    if [[ $(head -c 2 "$script") == '#!' && $(head -n 1 "$script") == *sh ]]; then
        scripts+=("$script")
    fi
done
shellcheck --external-sources "${scripts[@]}"

#!/usr/bin/env bash
# The library exports the functions of the header, all of them and nothing else:
# symbols.sh LIBRARY HEADER
set -euo pipefail
declared=$(grep -oE '\bkarst_[a-z0-9_]+\(' "$2" | tr -d '(' | sort -u)
exported=$(nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u)
diff <(echo "$declared") <(echo "$exported") || {
    echo "left: declared in the header, right: exported by the library" >&2
    exit 1
}

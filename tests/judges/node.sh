#!/usr/bin/env bash
# A judge that runs in node over files: node.sh SCRIPT FOLDER FILE...
# FOLDER, or $KARST_JUDGES, is where scripts/setup-judges put node_modules. Exit status 77 where
# node or the judge is missing.
set -euo pipefail
script=$1
folder=${2:-${KARST_JUDGES:-.}}
shift 2
if ! command -v node >/dev/null; then
    echo "skipped: node is not installed"
    exit 77
fi
exec node "$(dirname "$0")/$script" "$folder" "$@"

#!/usr/bin/env bash
# The Khronos validator over GLB files: gltf.sh FOLDER FILE...
# FOLDER, or $KARST_JUDGES, is where `npm install gltf-validator` ran. Exit status 77 without it.
set -euo pipefail
folder=${1:-${KARST_JUDGES:-.}}
shift
if ! command -v node >/dev/null; then
    echo "skipped: node is not installed"
    exit 77
fi
exec node "$(dirname "$0")/validate_gltf.js" "$folder" "$@"

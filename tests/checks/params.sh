#!/usr/bin/env bash
# docs/parameters.md is what the program prints: params.sh ROOT PROGRAM
set -euo pipefail
if ! diff "$1/docs/parameters.md" <("$2" params --markdown); then
    echo "docs/parameters.md is stale; karst params --markdown >docs/parameters.md renews it"
    exit 1
fi

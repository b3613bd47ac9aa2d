#!/usr/bin/env bash
# README.md shows exactly the commands that scripts/demo runs: readme.sh ROOT
set -euo pipefail
cd "$1"
# The lines "karst ... out/..." of the README's code blocks against those of the demo.
if ! diff <(grep -E '^karst .*out/' scripts/demo-commands | sort) \
    <(sed 's/^ *//; s/^\$ //' README.md | grep -E '^karst .*out/' | sort); then
    echo "< only in scripts/demo-commands, > only in README.md"
    exit 1
fi

#!/usr/bin/env bash
# Blender imports meshes as they were meant: blender.sh FOLDER     (of import_samples.sh)
# Exit status 77 where Blender is not installed.
# shellcheck source=tests/judges/judge.sh
script=$(realpath "$(dirname "$0")/blender_import.py")
source "$(dirname "$0")/judge.sh"
start blender "$1"
# Its Python takes its modules from beside the first python3 in PATH; the system's has NumPy.
said=$(PATH=/usr/bin:/bin:$PATH blender --background --factory-startup --python-exit-code 1 \
    --python "$script" 2>&1) || fail "$said"
# Blender also ends with 0 where it did not run the script.
grep "^checked" <<<"$said"
grep -q "^all files as expected" <<<"$said" || fail "$said"
finish

#!/usr/bin/env bash
# The add-on in Blender without a window: blender_test.sh FOLDER      (of the picture)
# Exit status 77 where Blender is not installed.
# shellcheck source=tests/judges/judge.sh
script=$(realpath "$(dirname "$0")/blender_host.py")
source "$(dirname "$0")/judges/judge.sh"
start blender "$1"
# Its Python takes its modules from beside the first python3 in PATH; the system's has NumPy.
said=$(PATH=/usr/bin:/bin:$PATH blender --background --factory-startup --python-exit-code 1 \
    --python "$script" -- "$PWD/blender_terrain.png" 2>&1) || fail "$said"
# Blender also ends with 0 where it did not run the script.
grep -E "^(checked|rendered)" <<<"$said"
grep -q "^all as expected" <<<"$said" || fail "$said"
# Of callbacks, which Blender only prints.
if grep -q "^Traceback" <<<"$said"; then
    fail "$said"
fi
finish

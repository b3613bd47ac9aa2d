#!/usr/bin/env bash
# An engine reads the heights: engine_programs.sh blender|godot FOLDER     (of engine_samples.sh)
# Exit status 77 where it is not installed.
# shellcheck source=tests/judges/judge.sh
here=$(realpath "$(dirname "$0")")
source "$here/judge.sh"
case $1 in
blender)
    start blender "$2"
    # Its Python takes its modules from beside the first python3 in PATH; the system's has NumPy.
    said=$(PATH=/usr/bin:/bin:$PATH blender --background --factory-startup --python-exit-code 1 \
        --python "$here/blender_heights.py" 2>&1) || fail "$said"
    grep "^checked" <<<"$said"
    grep -q "^all files as expected" <<<"$said" || fail "$said"
    ;;
godot)
    start godot3-server "$2"
    said=$(godot3-server --path . --script "$here/godot_heights.gd" 2>&1 | grep '^heights')
    # Godot 3 cuts floats to 11 bits: within 1/1024 of the height.
    /usr/bin/python3 - "$said" <<'SCRIPT' || fail "Godot: $said"
import json
import struct
import sys
notes = json.load(open('Godot.exr.import.json'))['import']
width, height, low, high, a, b = map(float, sys.argv[1].split()[1:])
rows = open('Generic.r32', 'rb').read()
metres = lambda x, y: struct.unpack_from('<f', rows, (y * 127 + x) * 4)[0]
near = lambda value, exact: abs(value - exact) <= abs(exact) / 1024 + 1e-6
assert (width, height) == (127, 253)
assert near(low, notes['height_min']) and near(high, notes['height_max'])
assert near(a, metres(10, 20)) and near(b, metres(120, 250))
print(f'checked Godot.exr: {low} to {high} m')
SCRIPT
    ;;
esac
finish

#!/usr/bin/env bash
# The graph of cracks against what NumPy counts in the mask and ImageMagick draws of the SVG:
# crack_graph.sh KARST FOLDER
set -uo pipefail
karst=$1
folder=$2
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import numpy' 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [[ -z $python ]] || ! convert -version 2>&1 | grep -q "Version: ImageMagick"; then
    echo "skipped: python3 with numpy and ImageMagick are not installed"
    exit 77
fi
here=$(cd "$(dirname "$0")" && pwd)
cd "$folder" || exit 2
status=0
for preset in dry_mud rock_joints; do
    "$karst" crack --preset "$preset" --seed 11 --size 512x448 --cell 0.005 --threads 1 --quiet \
        -o "mask=$preset.mask.npy" -o "plates=$preset.plates.npy" -o "graph=$preset.json" \
        -o "$preset.svg" || exit 1
    # 4 pixels a cell (96 dots an inch are one): it takes centres of pixels for whole numbers.
    convert -density 384 "$preset.svg" -alpha off -negate -filter box -resize '512x448!' -depth 8 \
        "gray:$preset.raw" || exit 1
    echo "$preset"
    "$python" "$here/crack_graph.py" "$preset" || status=1
done
exit "$status"

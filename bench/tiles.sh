#!/usr/bin/env bash
# Tiles of a map in little memory: tiles.sh PROGRAM FOLDER [SAMPLES]
# Makes a map as tiles of 2049 under a limit of address space far below what it needs at once, then a
# smaller one that is killed in the middle and resumed, and compares it with one that was not.
set -euo pipefail
karst=$1
folder=$2
side=${3:-16385}
mkdir -p "$folder"
cd "$folder"
ground=(heightmap --preset alps --seed 1 --cell 1 --detail-cell 8 --device cpu --quiet)

rm -f big_*
(
    ulimit -v $((2 * 1024 * 1024)) # KiB
    /usr/bin/time -f 'tiles: %M KiB at the peak, %e s' \
        "$karst" "${ground[@]}" --size "${side}x$side" --tile-size 2049 -o 'big_{x}_{y}.r16'
)
echo "files: $(find . -name 'big_*.r16' | wc -l), $(cat big_*.r16 | wc -c) bytes"

small=("${ground[@]}" --size 2049x2049 --tile-size 257)
rm -rf whole killed
mkdir whole killed
"$karst" "${small[@]}" -o 'whole/t_{x}_{y}.png'
"$karst" "${small[@]}" -o 'killed/t_{x}_{y}.png' &
while (($(find killed -name 't_*.png' | wc -l) < 20)); do
    sleep 0.05
done
kill -9 $!
wait $! || true
echo "killed after $(find killed -name 't_*.png' | wc -l) of 64 files"
"$karst" "${small[@]}" -o 'killed/t_{x}_{y}.png' --resume --json | grep -E '"(made|kept)"'
diff -r whole killed && echo "resumed: the same files"

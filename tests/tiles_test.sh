#!/usr/bin/env bash
# Tiles of heightmaps from outside: tiles_test.sh PROGRAM
# They are parts of the whole map, made again only where they are missing or changed.
set -uo pipefail
# shellcheck source=tests/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"

tiles=(heightmap --size 97x65 --cell 4 --detail-cell 8 --device cpu)
good "${tiles[@]}" -o height=whole.raw
mkdir tiles
names='n_{x}_{y}.png'
good "${tiles[@]}" --tile-size 33 -o height='tiles/t_{x}_{y}.raw' --json
output_has '"made": 6'
present tiles/t_0_0.raw tiles/t_2_1.raw tiles/t_2_1.raw.karst.json
cmp -s -n 66 -i 64:0 whole.raw tiles/t_1_0.raw || fault "a tile is not a part of the whole map"
cmp -s <(tail -c 66 tiles/t_1_0.raw) <(head -c 66 tiles/t_1_1.raw) || fault "tiles share no row"
cp -r tiles before
rm tiles/t_1_0.raw tiles/t_0_1.raw.karst.json
printf x >>tiles/t_2_1.raw
good "${tiles[@]}" --tile-size 33 -o height='tiles/t_{x}_{y}.raw' --resume --json
output_has '"made": 3'
output_has '"kept": 3'
diff -r tiles before || fault "--resume made other files"
good "${tiles[@]}" --tile-size 33 -o height='tiles/t_{x}_{y}.raw' --resume --json
output_has '"made": 0'
good "${tiles[@]}" --tile-size 33 -o height='tiles/t_{x}_{y}.raw' --resume --seed 2 --json
output_has '"made": 6'
good "${tiles[@]}" --tile-size 33 --tile 1,1 -o height=tiles/t_1_1.raw
diff before/t_1_1.raw tiles/t_1_1.raw || fault "--tile makes another tile"
diff before/t_1_1.raw.karst.json tiles/t_1_1.raw.karst.json || fault "--tile: another manifest"
good "${tiles[@]}" --tile-size 64 --tile-overlap 0 --height-range=-10..1000 -o 'f_{x}_{y}.png' \
    -o 'flow=flow_{x}_{y}.png'
grep -q '"offset": -10.0' f_1_0.png.karst.json || fault "--height-range is not in the manifest"
bad 1 "is the name of 3 tiles; allowed is one with {x}" "${tiles[@]}" --tile-size 33 -o 'n_{y}.png'
bad 1 "{x} and {y} are for the file's name" "${tiles[@]}" --tile-size 33 -o '{x}/n_{y}.png'
bad 1 "tile_size is 0; allowed is" "${tiles[@]}" --tile-size 0 -o "$names"
bad 1 "tile size is 1 samples; allowed is 2" "${tiles[@]}" --tile-size 1 -o "$names"
bad 1 "allowed is LOW..HIGH" "${tiles[@]}" --tile-size 33 --height-range 5 -o "$names"
bad 1 "the ground of this map lies between" "${tiles[@]}" --tile-size 33 --height-range 1..2 \
    -o "$names"
bad 1 "the tile is (3, 0); allowed is below (3, 2)" "${tiles[@]}" --tile-size 33 --tile 3,0 -o n.png
bad 5 "tiles have the layers height and flow" "${tiles[@]}" --tile-size 33 -o "preview=$names"
bad 5 "tiles are not measured" "${tiles[@]}" --tile-size 33 --require "lowest m>0" -o "$names"
bad 1 "--resume is for tiles" "${tiles[@]}" --resume -o n.png
bad 1 "allowed is to give tile_size too" "${tiles[@]}" --tile-overlap 0 -o n.png
bad 1 "docs/tiles.md says" "${tiles[@]}" --tile-size 33 --profile unity -o "$names"
bad 4 "without detail_cell needs" heightmap --size 65537x65537 --cell 1 --tile-size 1025 \
    -o "$names"

# Recipes: what is there is unchanged, also in --dry-run; a lock has no place for tiles, and says so.
cat >tiled.json <<'END'
{"karst": 1, "assets": {"land": {"generator": "heightmap", "size": "65x33",
 "tile_size": 33, "outputs": ["height=land_{x}_{y}.raw"]}}}
END
status 0 run tiled.json --update-lock
grep -q "land is not locked: a lock does not hold tiles" "$work/err" || fault "no word about the lock"
good run tiled.json --dry-run
grep -q ", unchanged" "$work/out" || fault "--dry-run makes tiles that are there"
rm land_1_0.raw
good run tiled.json --dry-run
grep -q ", unchanged" "$work/out" && fault "--dry-run sees tiles that are not there"

# The tiles of a map are verified together: its base is made once.
good verify before/t_1_1.raw.karst.json
good verify before/*.raw --json
[[ $(grep -c '"stage": "network 1 of 3"' "$work/out") == 1 ]] || fault "verify makes a base for each tile"
[[ $(grep -c '"same": true' "$work/out") == 6 ]] || fault "verify passes over tiles"
sed -i '/"layer"/,/}/s/"digest": "0x[0-9a-f]\{16\}/"digest": "0x0123456789abcdef/' before/t_2_0.raw.karst.json
bad 6 "before/t_2_0.raw.karst.json: the layer 'height' differs" verify before/*.raw
sed -i 's/"tile": "1,0"/"tile": "7,0"/' before/t_1_0.raw.karst.json
bad 3 "its job makes no file 'before/t_1_0.raw'" verify before/t_0_0.raw before/t_1_0.raw
report

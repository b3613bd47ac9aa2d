#!/usr/bin/env bash
# The command line from outside: cli_test.sh PROGRAM
# Exit status, message and files of every good and bad way to call it. Prints each failure.
# shellcheck disable=SC2016 # the $ of run length encoded patterns
# shellcheck source=tests/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"

physarum=(simulate physarum --size 64x48 --steps 10)

# --- What works -------------------------------------------------------------------------------

for call in --help --version "simulate --help" "simulate physarum --help" "simulate life --help" \
    "params" "params physarum" "params --json" "params --markdown" "info" "info --json"; do
    # shellcheck disable=SC2086  # the words of the call
    good $call
done
good "${physarum[@]}" --json
output_has '"digest": "0x'
output_has '"seed": "0x0000000000000000"'
good "${physarum[@]}" --seed 0xFF --json
output_has '"seed": "0x00000000000000ff"'
good "${physarum[@]}" --seed 18446744073709551615 --json
output_has '"seed": "0xffffffffffffffff"'
good "${physarum[@]}" --seed "any text" --json
good "${physarum[@]}" --set retain=0.5 --set steps=3 --json # a flag wins over --set
output_has '"retain": 0.5'
output_has '"steps": 10'
good simulate physarum --steps 2 --extent 100 --cell 2 --json
output_has '"cell": 2.0'
good simulate physarum --steps 2 --extent 100x50 --size 40x20 --json
output_has '"cell": 2.5'

good "${physarum[@]}" -o a.png -o birth_time.png -o trail=b.npy -o x_birth_time.r16 -o c.raw \
    --report r.json
present a.png a.png.karst.json birth_time.png b.npy b.npy.karst.json x_birth_time.r16 c.raw r.json
if (($(stat -c %s x_birth_time.r16) != 64 * 48 * 2 || $(stat -c %s c.raw) != 64 * 48 * 4)); then
    fault "a raw file has the wrong size"
fi
if [[ -n $(find . -name '.*' -type f) ]]; then
    fault "temporary files are left"
fi
chmod 600 a.png
good "${physarum[@]}" --birth-time -o a.png
[[ $(stat -c %a a.png) == 600 ]] || fault "replacing a file changes its mode"
mkdir again
good "${physarum[@]}" --threads 1 --birth-time -o again/a.png -o trail=again/b.npy
for file in a.png a.png.karst.json b.npy b.npy.karst.json; do
    if ! cmp -s "$file" "again/$file"; then
        fault "$file differs between two runs"
    fi
done
"$karst" "${physarum[@]}" -o - >piped.png || fault "-o - fails"
"$karst" "${physarum[@]}" -o -.npy >piped.npy || fault "-o -.npy fails"
cmp -s b.npy piped.npy || fault "-o -.npy is not the file"
if command -v pngcheck >/dev/null; then
    pngcheck -q a.png birth_time.png piped.png || fault "pngcheck refuses a picture"
fi
status 0 "${physarum[@]}" --progress json --json
grep -q '^{"stage":".*","fraction":1.0,"eta":0.0}$' "$work/err" || fault "--progress json has no last line"
status 0 "${physarum[@]}" --progress bar --json
grep -q 'physarum' "$work/err" || fault "--progress bar shows nothing"
good "${physarum[@]}" --progress bar --quiet --json

printf '#N Glider\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n' >glider.rle
good simulate life --in glider.rle --size 20x20 --generations 80 --at 2,3 --json
output_has '"generation": 80'
output_has '"population": 5'
digest=$(grep '"digest"' "$work/out")
good simulate life --in glider.rle --size 20x20 --generations 0 --at 2,3 --json
output_has "$digest"
good simulate life --in glider.rle --size 8x8 --boundary dead --generations 100 --json
output_has '"population": 4' # the block that a glider leaves in a corner
good simulate life --soup 0.375 --seed 7 --size 100x90 --generations 20 -o s.rle -o s.png --json
digest=$(grep '"digest"' "$work/out")
good simulate life --in s.rle --json
output_has "$digest"
good simulate life --in s.rle --rule b36/s23 --json
output_has '"rule": "B36/S23"'
printf 'x = 3, y = 3, rule = B3/S23:P6,6\nbo$2bo$3o!\n' >bounded.rle
good simulate life --in bounded.rle --generations 50 --json
output_has '"boundary": "dead"'
output_has '"population": 4'
good simulate life --in glider.rle --size 20x21 -o at.png -o at.Rle
present at.Rle
grep -q '^x = ' at.Rle || fault "at.Rle is not the pattern's text"
grep -q '"at": "8,9"' at.png.karst.json || fault "the manifest does not say where the pattern lay"
grep -q 'karst:generator' at.png || fault "the picture has no text"
! grep -q 'karst:seed' at.png || fault "a picture without a seed names one"
good simulate life --in glider.rle --size 20x21 --at 2,3 -o at.png
grep -q '"at": "2,3"' at.png.karst.json || fault "the manifest does not say --at"
good simulate life --soup 0.5 --seed 5 --size 9x9 -o soup.png
grep -q 'karst:seed' soup.png || fault "the picture of a soup names no seed"

# Three numbers make a volume.
volume=(simulate life --soup 0.5 --seed 7 --size 70x20x11 --rule B14-26/S13-26)
good "${volume[@]}" --generations 3 --boundary alive -o v.npy --json
output_has '"rule": "B14-26/S13-26"'
output_has '"generation": 3'
output_has '"population": '
digest=$(grep '"digest"' "$work/out" | head -1)
grep -q "'shape': (11, 20, 70)" v.npy || fault "v.npy is not 11 slices of 20 rows of 70 cells"
(($(stat -c %s v.npy) == 128 + 70 * 20 * 11)) || fault "v.npy is not a byte a cell"
good "${volume[@]/B14-26\/S13-26/13-26\/14-26}" --generations 3 --boundary alive --threads 2 --json
output_has "$digest"
good simulate life --soup 0.1 --size 8x8x8 --json
output_has '"rule": "B5/S4,5"'
good simulate physarum --size 9x8x7 --steps 3 -o p.npy -o birth_time=pb.npy
grep -q "'shape': (7, 8, 9)" p.npy || fault "p.npy is not 7 slices of 8 rows of 9 cells"
(($(stat -c %s pb.npy) == 128 + 9 * 8 * 7 * 2)) || fault "pb.npy is not two bytes a cell"
bad 1 "'both_sides' belongs to karst simulate physarum" simulate physarum --size 9x8x7 \
    --both-sides larger -o n.npy
bad 5 ".png holds" simulate physarum --size 9x8x7 -o n.png

# Generators.
for call in "crack craquelure roughness mask plates" "cave limestone roughness map rooms" \
    "heightmap hills ruggedness height preview"; do
    # shellcheck disable=SC2206  # the words of the call
    words=($call)
    name=${words[0]}
    outputs=()
    for layer in "${words[@]:3}"; do
        outputs+=(-o "$layer=$name-$layer.png")
    done
    good "$name" --size 64x48 --preset "${words[1]}" --device cpu "${outputs[@]}"
    for layer in "${words[@]:3}"; do
        present "$name-$layer.png" "$name-$layer.png.karst.json"
    done
    bad 1 "there is no preset 'cheese'" "$name" --size 64x48 --preset cheese -o n.png
    bad 1 "${words[2]} is -1; allowed is" "$name" --size 64x48 --set "${words[2]}=-1" -o n.png
    bad 4 "GiB" "$name" --size 60000x60000 --device cpu -o n.png
done
# Heights for engines: the file, what to type in beside it, tiles by the engine's rule.
good heightmap --size 127x127 --profile unreal -o Land.png -o preview=land.png
present Land.png Land.png.karst.json Land.png.import.json land.png
[[ ! -e land.png.import.json ]] || fault "a picture has import notes"
grep -q '"location_cm"' Land.png.import.json || fault "no numbers for Unreal"
grep -q '"profile": "unreal"' Land.png.karst.json || fault "the manifest names no profile"
good heightmap --size 129x65 --profile unity --tiles 4x2 -o Vale.raw -o flow=Flow.png
present Vale_0_0.raw Vale_3_1.raw Vale_3_1.raw.karst.json Vale.raw.import.json Flow_3_1.png
[[ ! -e Vale.raw ]] || fault "tiles and the whole"
good verify Vale_0_0.raw Vale_3_1.raw Flow_0_1.png Land.png
printf x | dd of=Vale_3_1.raw bs=1 seek=9 conv=notrunc status=none
bad 6 "has other bytes" verify Vale_0_0.raw Vale_3_1.raw
good heightmap --size 127x253 --profile unreal -o Land.raw -o elevation=Land2.r16
present Land.json Land2.json
good heightmap --size 33x17 --tiles 2x2 -o generic.exr -o mesh=generic.glb
present generic_x1_y1.exr generic.glb
good heightmap --size 33x17 -o elevation.r32 -o height=height.exr
(($(stat -c %s elevation.r32) == 33 * 17 * 4)) || fault "a .r32 has the wrong size"
grep -q '"file_scale": 1.0' height.exr.karst.json || fault "no scale of floats"
got=0 # of 200 files few are open at a time
(ulimit -n 64 && exec "$karst" heightmap --size 41x41 --tiles 10x10 -o Many.r16) 2>"$work/err" || got=$?
((got == 0)) || fault "100 tiles, ulimit -n 64: status $got: $(head -c 300 "$work/err")"
# The program takes what the system allows, so that fewer files need a temporary name.
(ulimit -Sn 64 && exec "$karst" simulate physarum --size 512x512 --steps 100000 --threads 1 -o n.npy) \
    >/dev/null 2>&1 &
process=$!
for _ in $(seq 100); do
    read -r _ _ _ soft hard _ < <(grep 'Max open files' /proc/$process/limits)
    if ((soft > 64 || hard <= 64)); then
        break
    fi
    sleep 0.1
done
((soft > 64 || hard <= 64)) || fault "the soft limit of open files stays $soft of $hard"
kill -KILL $process
wait $process 2>/dev/null
present Many_x0_y0.r16 Many_x9_y9.r16 Many_x9_y9.r16.karst.json
[[ -z $(find . -name '.karst-*') ]] || fault "100 tiles leave a temporary file"
rm Many*
bad 1 "the nearest: 249x249 and 253x253" heightmap --size 250x250 --profile unreal -o n.png
bad 1 "the nearest: " heightmap --size 127x127 --profile unreal --tiles 2x2 -o n.png
bad 1 "COLUMNSxROWS" heightmap --size 127x127 --tiles 0x2 -o n.png
bad 1 "allowed is one of unreal, unity" heightmap --profile quake -o n.png
bad 1 "allowed is one of .png, .r16, .raw" heightmap --size 127x127 --profile unreal -o n.exr
bad 1 "writes several files" heightmap --size 127x127 --profile unreal -o -
bad 1 "there are none" heightmap --size 33x33 --profile generic -o mesh=n.glb
bad 1 "it is for karst heightmap" cave --profile unreal -o n.png
bad 1 "another output writes too" heightmap --size 127x127 --profile unreal -o n.png \
    -o preview=n.png
# Holes are painted; the manifest records the map, and the engine's file of holes is part of a run.
good crack --size 65x65 --cell 0.02 -o mask=paint.png
good heightmap --size 129x65 --profile unity --tiles 4x2 --holes paint.png -o Pit.raw
present Holes_Pit_0_0.png Holes_Pit_3_1.png
grep -q '"name": "holes"' Pit_0_0.raw.karst.json || fault "the manifest has no holes"
grep -q 'Holes_Pit_3_1.png' Pit.raw.import.json || fault "no word of the files of holes"
good heightmap --size 65x65 --profile generic --holes paint.png -o Open.exr
good heightmap --size 65x65 --profile generic -o Shut.exr
good verify Pit_3_1.raw Open.exr
if cmp -s Open.exr Shut.exr; then
    fault "holes make no difference"
fi
printf '{"karst": 1, "assets": {"a": {"generator": "heightmap", "size": "65x65", "profile": "godot",
    "holes": "paint.png", "outputs": ["Well.r16"]}}}' >holes.json
good run holes.json
rm Control_Well.exr
good run holes.json
present Control_Well.exr
cp land.png paint.png
bad 6 "has changed" verify Open.exr
bad 1 "allowed is to give profile too" heightmap --size 65x65 --holes paint.png -o n.exr
bad 1 "allowed is one of them, holes with profile and tiles" heightmap --size 65x65 --holes paint.png \
    --tile-size 33 -o 'n_{x}_{y}.png'
bad 1 "holes are holes in heights" heightmap --size 65x65 --profile godot --holes paint.png \
    -o flow=n.png
bad 1 "is for karst heightmap" cave --holes paint.png -o n.png
bad 1 "which is read too" heightmap --size 65x65 --profile godot --holes paint.png -o height=paint.exr \
    -o flow=paint.png
bad 2 "nowhere.png" heightmap --size 65x65 --profile godot --holes nowhere.png -o n.exr
bad 3 "no PNG file" heightmap --size 65x65 --profile godot --holes Shut.exr -o n.exr
bad 5 "has them in .exr only" heightmap --size 65x65 --profile generic --holes paint.png -o n.png
bad 5 "profile blender has none" heightmap --size 65x65 --profile blender --holes paint.png -o n.exr
# Samples of a heightmap lie on corners: 505 of them span 504 cells.
good heightmap --size 33x33 --extent 256 --json
output_has '"cell": 8.0'
good heightmap --extent 256x128 --cell 8 -o corners.r16
if (($(stat -c %s corners.r16) != 33 * 17 * 2)); then
    fault "--extent 256x128 --cell 8 is not 33x17 samples"
fi
bad 1 "size is '1x5'; allowed is 2 samples a side" heightmap --size 1x5 --extent 5 -o n.png

# Requirements: measured before anything is written.
good crack --size 64x48 --device cpu --require "plates>=1" --require "plates<1e6" -o required.png
present required.png required.png.karst.json
bad 6 "not met: plates=-1 (measured " crack --size 64x48 --device cpu --require plates=-1 -o n.png
bad 6 "not met: open_share>1 (measured 0." cave --size 64x48 --device cpu --require components=1 \
    --require "open_share>1" -o n.png
bad 1 "there is no measure 'depth'; cave has open share" cave --size 64x48 --device cpu \
    --require depth=1 -o n.png
for text in plates "=1" "plates=" "plates=x" "plates=nan" "plates==1" "plates>=" "plates>1e999" ""; do
    bad 1 "require is '$text'; allowed is NAME=VALUE" crack --require "$text" -o n.png
done

# A mesh of a map: the file's format asks for it.
good heightmap --size 33x17 --cell 8 -o h.glb -o h.stl --json
present h.glb h.stl h.glb.karst.json
output_has '"type": "mesh"'
good heightmap --size 33x17 --cell 8 -o h.obj --units cm --up z
grep -q '^v 25600 0 ' h.obj || fault "h.obj is not in centimetres"
grep -q '"file_up": "z"' h.obj.karst.json || fault "the manifest does not say --up"
bad 5 ".glb is always in m with y up" heightmap --size 33x17 -o n.glb --up z
bad 5 ".png holds a map, and layer 'mesh' is a mesh; allowed is one of .glb, .obj, .ply, .stl" \
    heightmap --size 33x17 -o mesh=n.png

# Volumes and meshes: three numbers run the row that makes volumes.
cave=(cave --size 24x24x16 --device cpu)
good "${cave[@]}" -o c.npy -o c.vox -o c.glb -o c.obj -o c.ply -o c.stl -o c.graph.json --json
present c.npy c.vox c.glb c.obj c.ply c.stl c.graph.json c.graph.json.karst.json
output_has '"type": "mesh"'
output_has '"type": "document"'
head -c 100 c.npy | grep -q "'shape': (16, 24, 24)" || fault "c.npy has not three dimensions"
tr -d ' \n' <c.npy.karst.json | grep -q '"extent":\[24,24,16\]' ||
    fault "the manifest of a volume has not three sides"
good "${cave[@]}" -o turned.obj --units cm --up z
bad 1 "--short-indices says how a mesh is written" "${cave[@]}" --short-indices -o n.npy
good heightmap --size 300x300 --device cpu --short-indices -o mesh=short.glb
tr -d ' \n' <short.glb.karst.json | grep -q '"name":"terrain_1",' ||
    fault "--short-indices left a mesh of 90000 vertices whole"
grep -q '"short_indices": true' short.glb.karst.json || fault "a manifest without --short-indices"
grep -q '"file_units": "cm"' turned.obj.karst.json || fault "the manifest does not say --units"
status 0 "${cave[@]}" --entrances 40 --json # cannot be: said, but no error
grep -q '^karst: note: [0-9]* of 40 entrances made: ' "$work/err" || fault "no note about entrances"
output_has ' of 40 entrances made: '
status 0 "${cave[@]}" --entrances 40 --progress json --json
grep -q '^{"note":"[0-9]* of 40 entrances made: ' "$work/err" || fault "a note breaks JSON lines"
good "${cave[@]}" --entrances 40 --quiet --json
good cave --extent 12x12x8 --cell 0.5 --device cpu --json
good cave --size 24x24x16 --extent 12 --device cpu --require "components>=0" --json
output_has '"cell": 0.5'
bad 6 "not met: components<0 (measured " "${cave[@]}" --require "components<0" -o n.glb
bad 5 ".glb is always in m with y up" "${cave[@]}" -o n.glb --units cm
good "${cave[@]}" -o n.obj -o n.glb --up z
bad 1 "units is 'ft'; allowed is one of m, cm" "${cave[@]}" -o n.obj --units ft
bad 1 "say how a mesh is written or read, and there is none" "${cave[@]}" -o n.npy --up z
bad 1 "parameter 'pillar_area' belongs to karst cave, not to" "${cave[@]}" --pillar-area 1 \
    -o n.glb
bad 1 "preset 'warren' belongs to karst cave, not to" "${cave[@]}" --preset warren -o n.glb
bad 1 "size is '24x24'; allowed is WIDTHxHEIGHTxDEPTH" cave --size 24x24 --extent 12x12x8 \
    -o n.glb
bad 1 "extent is '12x12'; allowed is METRES or WIDTHxHEIGHTxDEPTH" "${cave[@]}" --extent 12x12 \
    -o n.glb
bad 1 "there is no command 'cave3d'" cave3d -o n.glb

# A control mesh: read, and refused where it is no closed surface.
{
    printf 'v %s\n' "2 2 2" "10 2 2" "10 6 2" "2 6 2" "2 2 10" "10 2 10" "10 6 10" "2 6 10"
    printf 'f %s\n' "4 3 2 1" "5 6 7 8" "1 2 6 5" "2 3 7 6" "3 4 8 7" "4 1 5 8"
} >room.obj
good "${cave[@]}" --shape room.obj -o room.glb --json
"$karst" "${cave[@]}" --shape room.obj -o v.npy 2>"$work/err" || fault "--shape: $(<"$work/err")"
sed 's/^v \(.*\) \(.*\) \(.*\)/v \1e2 -\3e2 \2e2/' room.obj >turned.obj # the same in other axes
good "${cave[@]}" --shape turned.obj --units cm --up z -o v2.npy -o turned.glb
cmp -s v.npy v2.npy || fault "--units and --up read another shape"
grep -q '"file_units": "m"' turned.glb.karst.json || fault "a GLB is not in metres"
sed '$d' room.obj >open.obj
bad 3 "open.obj: the mesh is open" "${cave[@]}" --shape open.obj -o n.glb
one_message "at the edge from (2, 6, 2) to (2, 2, 2) is 1 triangle" "an open mesh"
sed 's/^v 2 2 2/v nan 2 2/' room.obj >nan.obj
bad 3 "nan.obj:1: 'nan' is no finite number" "${cave[@]}" --shape nan.obj -o n.glb
sed 's/^f 4 3 2 1/f 4 3 2 99/' room.obj >range.obj
bad 3 "range.obj:9: index '99'; there are 8 vertices before it" "${cave[@]}" --shape range.obj -o n.glb
head -c 4096 "$karst" >junk.obj
bad 3 "junk.obj:1: " "${cave[@]}" --shape junk.obj -o n.glb
bad 2 "none.obj" "${cave[@]}" --shape none.obj -o n.glb
cp room.obj kept.obj
bad 1 "which is read too" "${cave[@]}" --shape room.obj -o shell=./room.obj
cmp -s room.obj kept.obj || fault "an output took the place of the shape"
bad 1 "size is '5x5x5'; allowed is WIDTHxHEIGHT in cells" crack --size 5x5x5 -o n.png
bad 1 "extent is '5x5x5'; allowed is METRES or WIDTHxHEIGHT in metres" crack --extent 5x5x5 -o n.png
bad 1 "'--up' is not expected" crack --up z -o n.png
bad 5 ".glb holds a mesh, and no layer is one; allowed is one of .png" crack -o n.glb

# --- What is refused --------------------------------------------------------------------------

bad 1 "a command is missing"
bad 1 "there is no command 'crak'" crak
bad 1 "a command is missing" simulate
bad 1 "there is no command 'lief'" simulate lief
bad 1 "there is no generator 'crak'" params crak
bad 1 "nothing to do" "${physarum[@]}"
bad 1 "did you mean 'sensor_angle'" "${physarum[@]}" --sensor-angel 3 -o n.png
bad 1 "did you mean 'sensor_angle'" "${physarum[@]}" --set sensor_angel=3 -o n.png
bad 1 "'extra' is not expected" "${physarum[@]}" extra -o n.png
bad 1 "set is 'steps'; allowed is NAME=VALUE" "${physarum[@]}" --set steps -o n.png
bad 1 "--seed: 1 required" "${physarum[@]}" -o n.png --seed
bad 1 "required but received 2" "${physarum[@]}" --seed 1 --seed 2 -o n.png
for value in nan inf 1e999 -1 181 0x1p3 "" 5x " 5"; do
    bad 1 "allowed is 0 to 180 degrees" "${physarum[@]}" --set "sensor_angle=$value" -o n.png
    bad 1 "allowed is" "${physarum[@]}" --cell "$value-" -o n.png
done
for value in nan -1 1.5 99999999999999999999 0x10 1e3; do
    bad 1 "steps is" simulate physarum --size 8x8 --steps "$value" -o n.png
    bad 1 "threads is" "${physarum[@]}" --threads "$value" -o n.png
done
bad 1 "birth_time is 'maybe'; allowed is true or false" "${physarum[@]}" --birth-time=maybe --json
bad 1 "boundary is 'round'; allowed is one of torus" "${physarum[@]}" --boundary round -o n.png
for size in 0 0x5 5x0 -3x4 5 5x x5 1e3x4 5x5x5x5 3.5x4 134217729x1 1x99999999999999999999 "5 x5" \
    nanx5; do
    bad 1 "size is '$size'; allowed is WIDTHxHEIGHT" simulate physarum --size "$size" -o n.png
done
for extent in 0 -5 nan inf 1e999 5x 5x0 x5; do
    bad 1 "extent is '$extent'" simulate physarum --extent "$extent" -o n.png
done
bad 1 "extent is '1e30'; allowed is 1 to 134217728 cells a side" \
    simulate physarum --extent 1e30 -o n.png
bad 1 "allowed are two of them" simulate physarum --size 5x5 --extent 5 --cell 1 -o n.png
bad 1 "the proportions of --size" simulate physarum --size 5x5 --extent 5x6 -o n.png
bad 1 "more than 64 bits" "${physarum[@]}" --seed 18446744073709551616 -o n.png
bad 1 "more than 64 bits" "${physarum[@]}" --seed 0x10000000000000000 -o n.png
bad 1 "seed is empty" "${physarum[@]}" --seed "" -o n.png
bad 1 "device is 'gpu'; allowed is auto, cpu, cuda or cuda:N" "${physarum[@]}" --device gpu -o n.png
bad 1 "progress is 'dots'" "${physarum[@]}" --progress dots -o n.png
if "$karst" info | grep -q '^cuda:'; then
    skipped "--device cuda without a driver: there is one"
else
    bad 4 "there is no CUDA device" "${physarum[@]}" --device cuda -o n.png
fi

# Memory: more than the machine has, and more than the process may have.
bad 4 "GiB" simulate physarum --size 134217728x134217728 -o n.png
bad 4 "GiB" simulate life --soup 0.5 --size 134217728x134217728 -o n.rle
if (ulimit -v 300000 && "$karst" --version >/dev/null 2>&1); then
    before=$(ls -A)
    got=0
    (ulimit -v 300000 && exec "$karst" simulate physarum --size 9000x9000 --threads 1 -o n.png) \
        2>"$work/err" || got=$?
    ((got == 4)) || fault "ulimit -v: status $got instead of 4"
    one_message "memory" "ulimit -v"
    [[ $(ls -A) == "$before" ]] || fault "ulimit -v leaves something"
else
    skipped "ulimit -v: the program does not start with 300 MB of address space"
fi

# A picture that fits or does not: 16 million pixels take from 45 to 70 MB, wherever it runs out.
refused=0
for limit in {36000..72000..4000} 120000; do
    rm -f big.png big.png.karst.json
    got=0
    (ulimit -v "$limit" && exec "$karst" simulate life --soup 0.5 --size 4000x4000 --threads 1 \
        -o big.png) >"$work/out" 2>"$work/err" || got=$?
    if ((got == 4)); then
        refused=$((refused + 1))
        one_message "memory" "a picture under ulimit -v $limit"
        [[ ! -e big.png ]] || fault "a picture under ulimit -v $limit leaves a file"
    elif ((got == 127)) || { ((got != 0)) && grep -q Sanitizer "$work/err"; }; then
        skipped "a picture under ulimit -v $limit: the program does not start"
    elif ((got != 0)); then
        fault "a picture under ulimit -v $limit: status $got: $(head -c 300 "$work/err")"
    fi
done
rm -f big.png big.png.karst.json
((refused > 0)) || skipped "a picture under ulimit -v: it always fits"

# Files.
bad 1 "unknown extension .jpg; allowed is one of .png, .npy, .r16, .exr, .r32, .raw" "${physarum[@]}" -o n.jpg
bad 1 "no extension" "${physarum[@]}" -o n
bad 1 "there is no layer 'trial'; allowed is one of trail, birth_time" "${physarum[@]}" -o trial=n.png
bad 5 ".r16 holds 16-bit maps" "${physarum[@]}" -o n.r16
bad 5 ".json holds a document, and no layer is one; allowed is one of .png, .npy, .r16, .exr, .r32, .raw" \
    "${physarum[@]}" -o n.json
bad 5 ".json holds a document, and layer 'trail' is a map" "${physarum[@]}" -o trail=n.json
bad 1 "both go to the standard output" "${physarum[@]}" -o - --json
bad 1 "both go to the standard output" "${physarum[@]}" -o - -o -.npy
bad 1 "another output writes too" "${physarum[@]}" -o n.png -o ./n.png
bad 1 "another output writes too" "${physarum[@]}" -o n.png --report n.png.karst.json
bad 2 "No such file or directory" "${physarum[@]}" -o missing/n.png
bad 2 "No such file or directory" "${physarum[@]}" -o n.png --report missing/r.json
bad 2 "it is a device" "${physarum[@]}" -o /dev/null
bad 2 "it is a device" "${physarum[@]}" -o /dev/full
mkfifo pipe.png
bad 2 "it is a pipe" "${physarum[@]}" -o pipe.png
mkdir folder.png
bad 2 "it is a folder" "${physarum[@]}" -o folder.png
ln -s /dev/null link.png
bad 2 "it is a device" "${physarum[@]}" -o link.png
# Names of an open file: what a shell appends to would be replaced.
for path in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
    echo kept >log.txt
    got=0
    "$karst" "${physarum[@]}" --report $path >>log.txt 2>"$work/err" || got=$?
    ((got == 2)) || fault "--report $path: status $got instead of 2"
    one_message "allowed is - for the standard output" "--report $path"
    [[ $(<log.txt) == kept ]] || fault "--report $path: log.txt lost what it had"
done
# A folder where nobody may write; root may everywhere but in a read-only mount.
if ((EUID != 0)); then
    mkdir readonly
    chmod 555 readonly
    bad 2 "Permission denied" "${physarum[@]}" -o readonly/n.png
elif [[ -w / ]] && (cd / && setpriv --reuid=65534 --clear-groups test -x "$karst") 2>/dev/null; then
    mkdir readonly
    chmod 755 "$work" "$work/run"
    got=0
    setpriv --reuid=65534 --clear-groups "$karst" "${physarum[@]}" -o readonly/n.png \
        2>"$work/err" || got=$?
    ((got == 2)) || fault "unwritable folder: status $got instead of 2"
    one_message "Permission denied" "unwritable folder"
else
    skipped "unwritable folder: root may write everywhere, and nobody cannot run the program"
fi
# A full disk: the old file stays.
mkdir "$work/full"
if ((EUID == 0)) && mount -t tmpfs -o size=1m karst-test "$work/full" 2>/dev/null; then
    echo old >"$work/full/n.npy"
    status 2 simulate physarum --size 1024x1024 --steps 1 -o "$work/full/m.png" -o "$work/full/n.npy"
    one_message "No space left on device" "full disk"
    [[ $(ls -A "$work/full") == n.npy && $(<"$work/full/n.npy") == old ]] ||
        fault "full disk: left $(ls -A "$work/full")"
else
    skipped "full disk: mounting a tmpfs needs root"
fi
got=0
"$karst" "${physarum[@]}" --json >/dev/full 2>"$work/err" || got=$?
((got == 2)) || fault "full standard output: status $got instead of 2"
one_message "No space left on device" "full standard output"
got=0
"$karst" --help >/dev/full 2>"$work/err" || got=$?
((got == 2)) || fault "--help to a full standard output: status $got instead of 2"
got=0
{ "$karst" simulate life --soup 0.5 --size 2048x2048 -o -.rle 2>"$work/err" || echo $? >"$work/got"; } |
    head -c 1 >/dev/null
[[ $(cat "$work/got") == 2 ]] || fault "closed pipe: status $(cat "$work/got") instead of 2"
got=0
(ulimit -f 8 && exec "$karst" simulate physarum --size 256x256 --steps 1 -o limited.npy) \
    2>"$work/err" || got=$?
((got == 2)) || fault "ulimit -f: status $got instead of 2"
[[ ! -e limited.npy ]] || fault "ulimit -f leaves a file"

# Life.
bad 1 "no board to start from" simulate life --json
bad 1 "--in and --soup together" simulate life --in glider.rle --soup 0.5 --json
bad 1 "--soup and --at together" simulate life --at 1,1 --soup 0.5 --json
bad 1 "--in and --seed together" simulate life --in glider.rle --seed 5 --json
bad 1 "does not lie on the board of 2x9" simulate life --in glider.rle --size 2x9 --json
bad 1 "does not lie on the board" simulate life --in glider.rle --size 9x9 --at 7,0 --json
bad 1 "does not lie on the board" simulate life --in glider.rle --size 9x9 --at -1,0 --json
bad 1 "at is '3'; allowed is X,Y" simulate life --in glider.rle --size 9x9 --at 3 --json
bad 1 "boundary is 'klein'" simulate life --in glider.rle --boundary klein --json
for rule in "B3/S29" "B3" "life" "" "B3/S23/3"; do
    bad 1 "rule is '$rule'" simulate life --in glider.rle --rule "$rule" --json
done
for soup in -0.1 1.1 nan x; do
    bad 1 "soup is" simulate life --soup "$soup" --json
done
for generations in -1 1.5 nan 99999999999999999999; do
    bad 1 "generations is" simulate life --in glider.rle --generations "$generations" --json
done
bad 1 "allowed is one of .rle, .png, .npy, .r16, .exr, .r32, .raw" simulate life --in glider.rle -o n.jpg
bad 1 "with --in, whose patterns are flat" simulate life --in glider.rle --size 9x9x9 --json
bad 1 "depth is 131073 cells; allowed is 1 to 131072" simulate life --soup 0.5 --size 9x9x131073 --json
bad 1 "size is '9x0x9'; allowed is WIDTHxHEIGHTxDEPTH" simulate life --soup 0.5 --size 9x0x9 --json
bad 1 "rule is 'B27/S1'; allowed is" simulate life --soup 0.5 --size 9x9x9 --rule B27/S1 --json
bad 1 "unknown extension .rle" simulate life --soup 0.5 --size 9x9x9 -o n.rle
bad 5 ".png holds a map" simulate life --soup 0.5 --size 9x9x9 -o n.png
bad 4 "GiB" simulate life --soup 0.5 --size 131072x131072x131072 -o n.npy
bad 1 "'--rul' is not expected" simulate life --in glider.rle --rul B3/S23 --json
bad 2 "cannot read 'none.rle'" simulate life --in none.rle --json
bad 2 "cannot read '.'" simulate life --in . --json
printf 'x = 3, y = 3\nbo$2bz$3o!\n' >bad.rle
bad 3 "bad.rle:2:6: 'z' is no token" simulate life --in bad.rle -o n.rle
printf 'x = 3, y = 3, rule = WireWorld\nbo!\n' >bad.rle
bad 3 "bad.rle: rule is 'WireWorld'" simulate life --in bad.rle -o n.rle
printf 'x = 3, y = 3, rule = B3/S23:K9,9\nbo!\n' >bad.rle
bad 5 "topology ':K9,9'" simulate life --in bad.rle -o n.rle
printf 'x = 134217728, y = 134217728\nbo!\n' >bad.rle
bad 4 "GiB" simulate life --in bad.rle -o n.rle

# --- Painted maps -----------------------------------------------------------------------------

good simulate life --soup 0.4 --size 40x30 --generations 3 -o paint.png
for maker in "cave --size 96x80" "cave --size 30x24x20" "crack --size 96x80 --cell 0.02" \
    "heightmap --size 65x50 --cell 30"; do
    # shellcheck disable=SC2086  # the words of the command
    good $maker --food paint.png --food-strength -1 --walls-map paint.png --spawn-map paint.png -o painted.npy
    good verify painted.npy.karst.json
done
good "${physarum[@]}" --map retain=paint.png@0.25..0.75 --map deposit=paint.png -o painted.npy
grep -q '"map": "retain"' painted.npy.karst.json || fault "the manifest has no map"
grep -q '"black": 0.25' painted.npy.karst.json || fault "the manifest has no black"
good verify painted.npy.karst.json
good simulate life --soup 0.5 --soup-map paint.png --size 80x60 --generations 0 -o soup.png
cp paint.png kept.png
good simulate life --soup 0.4 --size 40x30 --seed 5 --generations 3 -o paint.png
bad 6 "has changed" verify painted.npy.karst.json
mv kept.png paint.png
bad 1 "takes no map 'agents'; allowed is one of walls, food" "${physarum[@]}" \
    --map agents=paint.png -o n.png
bad 1 "retain is 2; allowed is 0 to 1" "${physarum[@]}" --map retain=paint.png@0.5..2 -o n.png
bad 1 "map is 'paint.png'; allowed is NAME=FILE.png" "${physarum[@]}" --map paint.png -o n.png
bad 1 "the map 'retain' is given twice" "${physarum[@]}" --map retain=paint.png \
    --map retain=paint.png -o n.png
bad 1 "'--map' is not expected" crack --map retain=paint.png -o n.png
bad 1 "which is read too" crack --food paint.png -o mask=paint.png
bad 1 "allowed is WIDTHxHEIGHT, or --soup alone" simulate life --soup 0.5 --soup-map paint.png \
    --size 9x9x9 -o n.npy
bad 2 "none.png" crack --food none.png -o n.png
head -c 100 paint.png >cut.png
bad 3 "cut.png" crack --food cut.png -o n.png
bad 3 "cut.png" simulate life --soup 0.5 --soup-map cut.png -o n.png

# An earlier network stays but inside a mask.
good cave --size 96x80 -o network.json -o before.png
good cave --size 96x80 --seed 2 --pin network.json --grow paint.png -o after.png -o network=n2.json
good verify after.png.karst.json
bad 1 "pin without grow; allowed is both or none" cave --size 96x80 --pin network.json -o n.png
bad 1 "pin is a network of 'cave'; allowed is one of crack" crack --size 96x80 --cell 0.02 \
    --pin network.json --grow paint.png -o n.png
bad 1 "allowed is a network of" cave --size 200x80 --pin network.json --grow paint.png -o n.png
bad 1 "cave3d takes no map 'grow'" cave --size 30x24x20 --grow paint.png -o n.npy
echo '{"karst_network": 1, "generator": "cave", "networks": [{"number": 0, "size": [9, 9], "trail": "AAAA"}]}' >short.json
bad 3 "short.json: a trail of 9x9 cells has 4 characters" cave --pin short.json --grow paint.png -o n.png
echo '[1]' >list.json
bad 3 "list.json: it has not karst_network 1" cave --pin list.json --grow paint.png -o n.png

# --- A system that gives few threads ----------------------------------------------------------

# Stacks take all of the address space but a rest, which may be too small to work in; of two limits
# half a stack apart one leaves enough.
few=0
for limit in 500000 504096; do
    (ulimit -v $limit && "$karst" simulate physarum --size 256x64 --steps 5 --device cpu \
        --threads 200 -o few.npy >/dev/null 2>"$work/err") && few=1
done
((few == 1)) || fault "200 threads where the system gives fewer: $(head -c 300 "$work/err")"
status 0 simulate physarum --size 256x64 --steps 5 --device cpu --threads 1 -o one.npy
cmp -s few.npy one.npy || fault "few threads give another array than one"

# --- Signals ----------------------------------------------------------------------------------

for signal in INT:130 TERM:143; do
    before=$(ls -A)
    "$karst" simulate physarum --size 512x512 --steps 1000000 -o n.png 2>"$work/err" &
    process=$!
    sleep 0.5
    kill -s "${signal%:*}" $process
    got=0
    wait $process || got=$?
    ((got == ${signal#*:})) || fault "SIG${signal%:*}: status $got instead of ${signal#*:}"
    one_message "cancelled" "SIG${signal%:*}"
    [[ $(ls -A) == "$before" ]] || fault "SIG${signal%:*} leaves something"
done

# Nobody writes into this pipe.
mkfifo pipe
bad 2 "'pipe': it is not a regular file" crack --size 8x8 --food pipe -o p.png
bad 2 "'pipe': it is not a regular file" run pipe

report

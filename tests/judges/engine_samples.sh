#!/usr/bin/env bash
# One ground written for every engine, for programs that read it: engine_samples.sh KARST FOLDER
set -euo pipefail
karst=$1
cd "$2"
rm -rf -- ./*

generate() {
    "$karst" heightmap --preset canyon --seed 11 --cell 4 --threads 1 --quiet "$@"
}
generate --size 127x253 --profile unreal -o Land.png
generate --size 127x253 --profile unreal -o Land.raw
generate --size 256x256 --profile unreal --tiles 2x4 -o Tiled.png
generate --size 256x256 -o elevation=Tiled.npy
generate --size 129x129 --profile unity -o Vale.raw
generate --size 129x65 --profile unity --tiles 4x2 -o Vales.raw
generate --size 129x65 -o elevation=Vales.npy
generate --size 127x253 --profile godot -o Godot.exr
generate --size 127x253 --profile godot -o Godot.r16
generate --size 127x253 --profile blender -o Blender.png
generate --size 127x253 --profile blender -o Blender.exr
generate --size 127x253 --profile generic -o Generic.png -o Generic.r32
generate --size 127x253 -o elevation=Land.npy
generate --size 129x129 -o elevation=Vale.npy

# Holes painted: as many samples as the ground, and fewer.
"$karst" crack --seed 3 --size 129x129 --cell 0.02 --threads 1 --quiet -o mask=Paint.png
"$karst" crack --seed 3 --size 20x50 --cell 0.04 --threads 1 --quiet -o mask=Small.png
generate --size 129x129 --profile unity --holes Paint.png -o Pit.raw
generate --size 129x65 --profile unity --tiles 4x2 --holes Paint.png -o Pits.raw
generate --size 127x253 --profile unreal --holes Small.png -o Sink.png
generate --size 129x129 --profile godot --holes Paint.png -o Well.exr
generate --size 129x129 --profile generic --holes Paint.png -o Shaft.exr

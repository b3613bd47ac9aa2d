#!/usr/bin/env bash
# Generates meshes for programs that import them: import_samples.sh KARST FOLDER
# A cave of 32 x 24 x 16 m with two entrances and a ground of 760 x 504 m, in every format. PLY and
# STL have Z upwards, as Blender takes them to be. Two caves as voxels, one wider than a model of
# MagicaVoxel can be.
set -euo pipefail
karst=$1
cd "$2"

generate() {
    "$karst" "$@" --seed 5 --threads 1 --quiet
}
cave=(cave --preset mine --size 64x48x32 --entrances 2)
ground=(heightmap --size 96x64)
generate "${cave[@]}" -o shell=shell.glb -o shell=shell.obj -o solid=solid.glb \
    -o solid=solid.obj -o graph=cave.graph.json -o volume=cave.vox -o volume=cave.npy
generate "${cave[@]}" --up z -o shell=shell.ply -o shell=shell.stl -o solid=solid.ply \
    -o solid=solid.stl
generate "${ground[@]}" -o mesh=ground.glb -o mesh=ground.obj -o height=ground.npy
generate "${ground[@]}" --up z -o mesh=ground.ply -o mesh=ground.stl
generate cave --preset mine --size 300x48x32 -o volume=wide.vox -o volume=wide.npy

#!/usr/bin/env bash
# Generates small caves and what judges must find in them: cave_samples.sh KARST EXPECTATIONS FOLDER
set -euo pipefail
karst=$1
expectations=$2
cd "$3"

names=()
for preset in limestone grotto mine; do
    for entrances in 0 1 2; do
        name=${preset}_$entrances
        names+=("$name")
        cave=("$karst" cave --preset "$preset" --seed "$name" --size 96x96x48
              --entrances "$entrances" --threads 1 --quiet)
        "${cave[@]}" -o shell="${name}_shell.ply" -o solid="${name}_solid.stl" \
            -o volume="$name.npy" -o graph="$name.graph.json"
        "${cave[@]}" --caps -o shell="${name}_caps.stl"
    done
done
exec "$expectations" "${names[@]}"

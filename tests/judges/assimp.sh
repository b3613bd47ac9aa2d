#!/usr/bin/env bash
# assimp reads as many triangles and vertices as were written: assimp.sh FOLDER
# The folder is one of mesh_samples. Exit status 77 where assimp is not installed.
# shellcheck source=tests/judges/judge.sh
source "$(dirname "$0")/judge.sh"
start assimp "$1"

while read -r file vertices triangles; do
    info=$(assimp info "$file" --raw) || fail "$file: cannot be read"
    read_vertices=$(awk '$1 == "Vertices:" { print $2 }' <<<"$info")
    read_triangles=$(awk '$1 == "Faces:" { print $2 }' <<<"$info")
    # STL has three vertices a triangle; assimp gives each corner of an OBJ face its own.
    case $file in
    *.stl | *.obj) vertices=$((3 * triangles)) ;;
    esac
    echo "$file: $read_vertices vertices, $read_triangles triangles"
    if [[ $read_vertices != "$vertices" || $read_triangles != "$triangles" ]]; then
        fail "    instead of $vertices and $triangles"
    fi
done <counts.txt
finish

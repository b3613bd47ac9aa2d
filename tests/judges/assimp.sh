#!/usr/bin/env bash
# assimp reads as many triangles and vertices as were written: assimp.sh FOLDER
# The folder is one of mesh_samples. Exit status 77 where assimp is not installed.
set -uo pipefail
export LC_ALL=C
if ! command -v assimp >/dev/null; then
    echo "skipped: assimp is not installed"
    exit 77
fi
cd "$1" || exit 2
failures=0
while read -r file vertices triangles; do
    info=$(assimp info "$file" --raw) || failures=$((failures + 1))
    read_vertices=$(awk '$1 == "Vertices:" { print $2 }' <<<"$info")
    read_triangles=$(awk '$1 == "Faces:" { print $2 }' <<<"$info")
    # STL has three vertices a triangle; assimp gives each corner of an OBJ face its own.
    case $file in
    *.stl | *.obj) vertices=$((3 * triangles)) ;;
    esac
    echo "$file: $read_vertices vertices, $read_triangles triangles"
    if [[ $read_vertices != "$vertices" || $read_triangles != "$triangles" ]]; then
        echo "    instead of $vertices and $triangles"
        failures=$((failures + 1))
    fi
done <counts.txt
exit "$((failures > 0))"

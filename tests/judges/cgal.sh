#!/usr/bin/env bash
# CGAL agrees with what the meshes claim to be: cgal.sh BUILD FOLDER [TARGET PROGRAM]
# expected.txt in the folder holds the words of mesh_judge for each mesh, but for the volume, which
# volumes.txt bounds. Builds the judge first, which takes a minute and 1 GB the first time. Exit
# status 77 if this build has none (CGAL was not there when it was configured).
# shellcheck source=tests/judges/judge.sh
source "$(dirname "$0")/judge.sh"
if (($# < 4)); then
    echo "skipped: CGAL was not found"
    exit 77
fi
cmake --build "$1" --target "$3" >&2 || exit 2
start "$4" "$2"

mapfile -t files < <(awk '{ print $1 }' expected.txt)
verdicts=$("$4" "${files[@]}") || fail "the judge could not read every file"
diff expected.txt <(sed 's| outward=.||; s| volume=[^ ]*||' <<<"$verdicts") ||
    fail "< expected, > found"
[[ -s volumes.txt ]] || fail "there is no volumes.txt"
while read -r file _; do
    check_volume "$file" "$(sed -n "s|^$file .* volume=\([^ ]*\).*|\1|p" <<<"$verdicts")"
done <volumes.txt
echo "${#files[@]} meshes, $(wc -l <volumes.txt) of them with a volume"
finish

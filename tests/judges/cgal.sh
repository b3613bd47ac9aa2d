#!/usr/bin/env bash
# CGAL agrees with what the surfaces claim to be: cgal.sh BUILD SAMPLES_FOLDER [TARGET PROGRAM]
# Builds the judge first, which takes a minute and 1 GB the first time. Exit status 77 if this build
# has none (CGAL was not there when it was configured).
set -euo pipefail
build=$1
folder=$2
if (($# < 4)); then
    echo "skipped: CGAL was not found"
    exit 77
fi
cmake --build "$build" --target "$3" >&2
judge=$4
cd "$folder"
failures=0
says=$("$judge" ./*.off | sed 's|^\./||; s| volume=[^ ]*||; s| outward=.||' | sort)
if ! diff <(sort expected.txt) <(printf '%s\n' "$says"); then
    failures=1
fi
# Solids are closed blocks: the front is outside. Caves within caps are closed the other way round.
"$judge" ./solid_[57]*.off ./rough_*.off | grep -v 'volume=[0-9]' && failures=1
"$judge" ./caps_[57]*.off ./walls_[57]*.off | grep -v 'volume=-' && failures=1
echo "$(wc -l <expected.txt) meshes"
exit "$failures"

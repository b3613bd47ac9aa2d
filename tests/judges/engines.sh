#!/usr/bin/env bash
# NumPy, ImageMagick and GDAL read heights as an engine would: engines.sh FOLDER
#                                                              (of engine_samples.sh)
# Exit status 77 where NumPy or ImageMagick is not installed; GDAL is asked where it is.
# shellcheck source=tests/judges/judge.sh
script=$(realpath "$(dirname "$0")/engine_read.py")
source "$(dirname "$0")/judge.sh"
start identify "$1"
python=/usr/bin/python3
if ! "$python" -c 'import numpy' 2>/dev/null; then
    echo "skipped: NumPy is not installed"
    exit 77
fi
"$python" "$script" || fail "a file is not as expected"
if command -v gdalinfo >/dev/null; then
    said=$(gdalinfo -mm Land.png)
    grep -q 'Size is 127, 253' <<<"$said" || fail "GDAL: $said"
    grep -q 'Type=UInt16, ColorInterp=Gray' <<<"$said" || fail "GDAL: $said"
    grep -q 'Computed Min/Max=0.000,65535.000' <<<"$said" || fail "GDAL: $said"
fi
finish

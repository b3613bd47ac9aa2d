#!/usr/bin/env bash
# The Unity script compiles against declarations of what it uses: unity.sh ROOT
# Exit status 77: no C# compiler here.
set -euo pipefail
if ! command -v mcs >/dev/null; then
    echo "skipped: there is no mcs"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# 649: fields that JsonUtility alone fills.
mcs -target:library -langversion:6 -warn:4 -warnaserror -nowarn:649 -out:"$folder/karst.dll" \
    "$1/examples/unity/KarstImport.cs" "$1/tests/hosts/unity_declarations.cs"
echo "examples/unity/KarstImport.cs compiles"

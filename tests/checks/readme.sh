#!/usr/bin/env bash
# README.md shows exactly the commands that scripts/demo runs, and programs of examples: readme.sh ROOT
set -euo pipefail
cd "$1"
# The lines "karst ... out/..." of the README's code blocks against those of the demo.
if ! diff <(grep -E '^karst .*out/' scripts/demo-commands | sort) \
    <(sed 's/^ *//; s/^\$ //' README.md | grep -E '^karst .*out/' | sort); then
    echo "< only in scripts/demo-commands, > only in README.md"
    exit 1
fi

# Its programs are the files of examples, to the letter.
status=0
for language in c cpp; do
    while IFS= read -r -d $'\x01' program; do
        found=
        for file in examples/*."$language"; do
            if [[ $(<"$file") == "${program%$'\n'}" ]]; then
                found=$file
            fi
        done
        if [[ -z $found ]]; then
            echo "README.md: a program in $language is no file of examples:"
            head -3 <<<"$program"
            status=1
        fi
    done < <(awk -v language="$language" '
        $0 == "```" && inside { printf "\001"; inside = 0; next }
        inside { print }
        $0 == "```" language { inside = 1 }' README.md)
done
exit "$status"

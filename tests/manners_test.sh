#!/usr/bin/env bash
# Previews, progress, completion and the manual page from outside: manners_test.sh PROGRAM
# Prints each failure. Judges that are not there are left out.
# shellcheck disable=SC2154 # the variables of cli_lib.sh
# shellcheck source=tests/cli_lib.sh
. "$(dirname "$0")/cli_lib.sh"

# is_png FILE WxH
is_png() {
    local size
    size=$(od -A n -t u1 -j 16 -N 8 "$1" |
        awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }')
    [[ $size == "$2" ]] || fault "$1 has $size pixels instead of $2"
    if command -v pngcheck >/dev/null && ! pngcheck -q "$1" >"$work/check"; then
        fault "pngcheck: $(<"$work/check")"
    fi
}

# --- Previews ---------------------------------------------------------------------------------

status 0 heightmap --size 65x33 --seed 4 -o height=h.png -o height=h.r16
status 0 cave --size 64x64 --seed 5 -o map=map.png -o rooms=rooms.npy
status 0 simulate physarum --size 64x48 --steps 30 --spawn edges --birth-time \
    -o birth_time=birth.npy -o trail=trail.png
status 0 preview h.png
is_png preview.png 455x231 # seven times, the most below 512
[[ ! -e preview.png.karst.json ]] || fault "a preview has a manifest"
status 0 preview h.r16 --width 100 -o p.png
is_png p.png 100x51
status 0 preview h.png h.r16 map.png rooms.npy trail.png -o sheet.png
is_png sheet.png 800x610
"$karst" preview h.png h.r16 map.png rooms.npy trail.png -o - >"$work/again.png"
cmp -s sheet.png "$work/again.png" || fault "two contact sheets differ"
status 0 preview birth.npy --animate --frames 10 -o growth.png
is_png growth.png 64x48
[[ $(grep -ao fcTL growth.png | wc -l) == 10 ]] || fault "the animation has not 10 frames"
status 0 preview birth.npy --strip 4 -o strip.png
is_png strip.png 424x90
status 0 simulate life --soup 0.5 --size 1x4096 -o thin.png
status 0 preview thin.png -o p.png
is_png p.png 4x16384 # no side is longer
status 0 preview h.r16 --width 100 -o p.png
if command -v identify >/dev/null; then # neither grey nor flat
    for picture in preview.png p.png; do
        colours=$(identify -format %k "$picture")
        ((colours > 200)) || fault "$picture has only $colours colours"
    done
fi

bad 1 "files is required" preview
bad 1 "replace 'h.png', which has a manifest" preview h.r16 -o h.png
bad 1 "-o writes 'sheet.png', which is read too" preview sheet.png -o sheet.png
bad 1 "allowed is FILE.png" preview h.png -o p.jpg
bad 1 "width is 7" preview h.png --width 7
bad 1 "--animate and --strip" preview birth.npy --animate --strip 3
bad 1 "--frames is allowed with --animate" preview birth.npy --frames 3
bad 1 "2 files" preview birth.npy birth.npy --animate
bad 2 "none.png" preview none.png -o n.png
bad 5 "'cave.glb' is a mesh" preview cave.glb
bad 3 "h.png: layer height is no birth time" preview --animate h.png
head -c 300 h.png >cut.png
bad 3 "cut.png: the file ends" preview cut.png -o n.png
printf '\x89PNG\r\n\x1a\n' >cut.png
bad 3 "cut.png: the file ends within the header" preview cut.png h.png -o n.png
cp h.r16 alone.r16
bad 3 "alone.r16: its size stands in no manifest" preview alone.r16 -o n.png
sed 's/"extent": \[/"extent": [999,/' h.r16.karst.json | tr -d '\n' >alone.r16.karst.json
bad 3 "alone.r16.karst.json: extent has 3 sides" preview alone.r16 -o n.png
status 0 simulate physarum --size 8x8 --steps 1 --agent-density 0 --agent-count 0 --birth-time \
    -o birth_time=empty.npy
bad 3 "empty.npy: no cell was ever reached" preview --animate empty.npy -o n.png

# --- Progress, errors, details ----------------------------------------------------------------

physarum=(simulate physarum --size 128x128 --steps 64)
status 0 "${physarum[@]}" --progress json -o n.png
if grep -vqE '^\{"stage":"[^"]+","fraction":[0-9.e-]+,"eta":(null|[0-9.]+)\}$' "$work/err"; then
    fault "a line of JSON progress: $(head -c 300 "$work/err")"
fi
grep -q '"fraction":1.0,"eta":0' "$work/err" || fault "no last line of progress"
status 1 "${physarum[@]}" --progress json --threads -3 -o n.png
grep -qE '^\{"error":"threads is .*","status":1\}$' "$work/err" || fault "no JSON error"
status 1 "${physarum[@]}" --progress=json --nonsense
grep -qE '^\{"error":".*nonsense.*","status":1\}$' "$work/err" || fault "no JSON error for a flag"
status 0 "${physarum[@]}" --seed 3 --verbose -o n.png
for text in 'physarum, seed 0x0000000000000003, 128 x 128 cells of 1 m on auto' 'steps = 64' \
    'GiB needed' ' s on cpu' 'write'; do
    grep -q "^karst: .*$text" "$work/err" || fault "--verbose does not tell '$text'"
done
bad 1 "--quiet and --verbose" "${physarum[@]}" --quiet --verbose -o m.png

# --- Completion -------------------------------------------------------------------------------

"$karst" completion bash >"$work/karst.bash" || fault "no completion for bash"
bash -n "$work/karst.bash" || fault "the completion for bash is no bash"
# complete WORD...: what bash offers for the last word.
complete_words() {
    bash -c 'source "$0" && COMP_WORDS=(karst "$@") COMP_CWORD=$# && _karst &&
        printf "%s\n" "${COMPREPLY[@]}"' "$work/karst.bash" "$@" 2>&1 | paste -sd ' '
}
# completes WANTED WORD...
completes() {
    local wanted=$1 got
    shift
    got=$(complete_words "$@")
    [[ $got == "$wanted" ]] || fault "'karst $*' completes to '$got' instead of '$wanted'"
}
completes "crack" cr
completes "physarum" simulate p
completes "--plate-size" crack --plate-s
completes "dry_mud" crack --preset dr
completes "dry_mud" crack --preset = dr
completes "uniform disc ring edges" simulate physarum --spawn ""
completes "cuda" cave --device cu
completes "plate_size=" crack --set plate_s
completes "growth.png" preview gro
completes "--strip" preview --st
completes "heightmap" params he
completes "" crack --seed ""
completes "deposit_first" sensitivity toy --order d
completes "physarum" sensitivity state ph
completes "heightmap" sensitivity parameters he
bad 1 "shell is 'tcsh'" completion tcsh
for shell in zsh fish; do
    "$karst" completion $shell >"$work/karst.$shell" || fault "no completion for $shell"
    if command -v $shell >/dev/null; then
        $shell -n "$work/karst.$shell" || fault "the completion for $shell is no $shell"
    fi
done
if command -v fish >/dev/null; then
    got=$(HOME=$work fish -c "source $work/karst.fish; complete -C 'karst crack --preset dr'" |
        cut -f 1)
    [[ $got == dry_mud ]] || fault "fish completes to '$got'"
    got=$(HOME=$work fish -c "source $work/karst.fish; complete -C 'karst simulate ph'" | cut -f 1)
    [[ $got == physarum ]] || fault "fish completes to '$got'"
fi

# --- The manual page --------------------------------------------------------------------------

"$karst" man >"$work/karst.1" || fault "no manual page"
for text in 'SH NAME' '\\-\\-plate\\-size' 'SS karst simulate life' 'TH KARST 1' 'SH EXIT STATUS'; do
    grep -q -- "$text" "$work/karst.1" || fault "the manual page has no '$text'"
done
if command -v groff >/dev/null; then
    groff -man -ww -z "$work/karst.1" 2>"$work/err" || fault "groff fails"
    [[ ! -s $work/err ]] || fault "groff: $(head -c 300 "$work/err")"
fi
if command -v mandoc >/dev/null; then
    # The page has no date, so that the same program makes the same page.
    mandoc -T lint "$work/karst.1" | grep -v 'missing date' >"$work/out"
    [[ ! -s $work/out ]] || fault "mandoc: $(head -c 300 "$work/out")"
fi

# --- Watching a recipe ------------------------------------------------------------------------

# interrupt PROCESS PATTERN FILE WHAT: interrupts it when the file has a line like that.
interrupt() {
    local got=0
    for _ in $(seq 1200); do
        grep -q "$2" "$3" && break
        kill -s 0 "$1" 2>/dev/null || break
        sleep 0.05
    done
    grep -q "$2" "$3" || fault "$4 never came as far as '$2'"
    kill -s INT "$1" 2>/dev/null
    wait "$1" || got=$?
    ((got == 130)) || fault "$4: status $got instead of 130"
}

recipe() { # SEED
    echo '{"karst": 1, "folder": "watched", "assets": {"ground": {"generator": "crack", "seed": "'"$1"'",
        "size": "512x512", "outputs": ["mask={name}.png"]}}}'
}
# changed FILE OLD: waits until it is there and is not as OLD; at most 20 s, on a machine at its
# limit. Prints how many tenths of a second it took.
changed() {
    local i
    for ((i = 0; i < 200; i++)); do
        if [[ -s $1 ]] && ! cmp -s "$1" "$2"; then
            echo "$i"
            return
        fi
        sleep 0.1
    done
    echo 1000
}
recipe 1 >watched.json
"$karst" run watched.json --watch --sheet watched.png 2>"$work/err" </dev/null &
process=$!
(($(changed watched.png /dev/null) < 1000)) || fault "--watch makes no sheet"
cp watched.png first.png
recipe 2 >watched.json
(($(changed watched.png first.png) < 1000)) || fault "--watch does not see a saved recipe"
cp watched.png second.png
# A recipe that is extended is watched too, though nothing could be read of it.
echo '{"karst": 1' >base.json
echo '{"karst": 1, "extends": "base.json"}' >watched.json
sleep 0.5
recipe 3 >base.json
(($(changed watched.png second.png) < 1000)) || fault "--watch does not see a recipe that is extended"
# The meaning of a painted map is part of the picture.
for range in 0.1..0.5 0.5..0.9; do
    cp watched.png second.png
    echo '{"karst": 1, "assets": {"slime": {"generator": "physarum", "size": "64x64", "outputs":
        ["t.png"], "parameters": {"steps": 30}, "map": ["retain=h.png@'$range'"]}}}' >watched.json
    (($(changed watched.png second.png) < 1000)) || fault "--watch does not see the range $range"
done
cp watched.png second.png
echo '{"karst": 1, "assets": {' >watched.json
sleep 0.5
recipe 1 >renamed.json
mv renamed.json watched.json # as many editors save
(($(changed watched.png second.png) < 1000)) || fault "--watch ends with a recipe that is wrong"
cmp -s watched.png first.png || fault "the same recipe has another picture"
kill -s INT $process
got=0
wait $process || got=$?
((got == 130)) || fault "--watch: status $got instead of 130"
grep -q 'watched.json' "$work/err" || fault "--watch does not tell what is wrong"
grep -q '^karst: stopped watching' "$work/err" || fault "--watch does not tell its end"
[[ ! -e watched ]] || fault "--watch made more than a sheet"
is_png watched.png 272x309
bad 1 "--watch with switches" run watched.json --watch --dry-run
bad 1 "replace 'h.png', which has a manifest" run watched.json --watch --sheet h.png
bad 1 "is read too" run watched.png --watch --sheet watched.png

# --- Where the time goes ----------------------------------------------------------------------

"$karst" simulate physarum --size 64x64 --steps 40 --device cpu --profile-stages --trace t.json \
    --json >"$work/out" 2>"$work/err" || fault "--profile-stages: status $?"
grep -q '^stage, kernel .* of copy$' "$work/err" || fault "--profile-stages: no table"
grep -q '^physarum ' "$work/err" || fault "--profile-stages: no stage"
grep -q '^  sense_turn_move ' "$work/err" || fault "--profile-stages: no kernel"
grep -q '^a copy reads and writes' "$work/err" || fault "--profile-stages: no copy"
/usr/bin/python3 - "$work/out" <<'EOF' || fault "--profile-stages: launches are not in the report"
import json, sys
stages = json.load(open(sys.argv[1]))["stages"]
physarum = next(s for s in stages if s["stage"] == "physarum")
assert physarum["steps"] == 40 and physarum["launches_a_step"] * 40 == physarum["launches"]
assert sum(k["launches"] for k in physarum["kernels"]) == physarum["launches"] >= 40
assert all(k["first_seconds"] > 0 and k["median_seconds"] > 0 for k in physarum["kernels"])
assert "kernels" not in next(s for s in stages if s["stage"] == "spawn")
EOF
"$karst" cave --size 64x48 --verbose --json >"$work/out" 2>"$work/err" || fault "--device auto: $?"
grep -q 'device: cpu, .* on the CPU, no more than opening a CUDA device takes$' "$work/err" ||
    fault "--verbose does not tell the device that auto chose"
output_has '"device": "cpu"'
output_has '"device_choice"'
/usr/bin/python3 - t.json <<'EOF' || fault "--trace: not a timeline of stages and kernels"
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
spans = [e for e in events if e["ph"] == "X"]
rows = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
assert set(rows.values()) == {"stages", "kernels on cpu"}, rows
assert all(e["ts"] >= 0 and e["dur"] >= 0 and e["tid"] in rows for e in spans)
stage = next(e for e in spans if e["name"] == "physarum")
kernels = [e for e in spans if rows[e["tid"]] != "stages"]
assert len(kernels) >= 40, len(kernels)  # a step has one or more
for kernel in kernels:
    assert stage["ts"] <= kernel["ts"] + 1 and kernel["dur"] <= stage["dur"]
EOF
bad 1 "--trace t.png" simulate physarum --size 8x8 --steps 1 -o t.png --trace t.png
good bench --device cpu --only physarum/512 --only asset/cave3d --blocks 1 --json
output_has '"name": "physarum/512x512/density:0.15"'
output_has '"name": "asset/cave3d"'
output_has '"share_of_copy"'
good bench --device cpu --only life/1024 --blocks 1
output_has 'life/1024x1024/B3/S23'
bad 1 "--only is 'nothing'" bench --only nothing
bad 1 "--only and --scaling together" bench --only life --scaling
bad 1 "blocks is 0" bench --blocks 0
bad 1 "largest is" bench --largest 3

# --- Tuning -----------------------------------------------------------------------------------

tuned=$work/cache/karst/tuning.json
good tune --device cpu --threads 1 --size 100x80 --size 20x20x10 --budget 1 --json
output_has '"name": "life3d/20x20x10"'
output_has '"name": "physarum/100x80/density:0.15"'
output_has '"speed_up"'
output_has '"stage": "life/100x80"'
grep -q '"karst_tuning": 1' "$tuned" || fault "tune keeps nothing"
good tune --device cpu --size 90x90 --only life --budget 1 --cache own.json
grep -Eq '^(kept in own.json|nothing to keep)$' "$work/out" || fault "tune does not say what it keeps"
[[ $(grep -c '"engine"' own.json) == $(grep -c '^kept in' "$work/out") ]] ||
    fault "tune says that it keeps what it does not"
# Interrupted behind the first size.
"$karst" tune --device cpu --threads 1 --only life --size 64x64 --size 6000x6000 --budget 20 \
    --cache cancelled.json >"$work/out" 2>"$work/err" &
interrupt $! '^life/64x64 ' "$work/out" "an interrupted tune"
grep -q '"karst_tuning": 1' cancelled.json || fault "an interrupted tune keeps nothing"
bad 1 "--metric is 'speed'" tune --metric speed
bad 1 "--only is 'crack'" tune --only crack
bad 1 "--cache is '-'" tune --cache -
echo "my notes" >notes.txt
bad 1 "'notes.txt' holds no tuning" tune --cache notes.txt
bad 1 "no --size for --only" tune --only life3d --size 8x8
bad 1 "allowed is WIDTHxHEIGHT or WIDTHxHEIGHTxDEPTH" tune --size 8
bad 1 "budget is" tune --budget 0
bad 2 "'.'" tune --cache . --size 8x8
# Whatever lies there changes no result and is no error.
physarum=(simulate physarum --size 64x64 --steps 40 --device cpu)
KARST_TUNING=off good "${physarum[@]}" -o none.npy
echo '{"karst_tuning": 1, "entries": [{"kind": "cpu", "device": 7}, [[]], null' >"$tuned"
good "${physarum[@]}" -o broken.npy
status 0 "${physarum[@]}" --verbose -o broken.npy
grep -q 'tuning: .*passed over' "$work/err" || fault "--verbose does not tell of a broken tuning"
KARST_TUNING=off status 0 "${physarum[@]}" --verbose -o broken.npy
! grep -q 'tuning' "$work/err" || fault "KARST_TUNING=off reads a tuning"
KARST_TUNING=none.json status 0 "${physarum[@]}" --verbose -o broken.npy
grep -q 'tuning: .*none.json' "$work/err" || fault "--verbose does not tell of a missing KARST_TUNING"
mkfifo tuning_pipe # that nobody writes into
KARST_TUNING=$PWD/tuning_pipe good "${physarum[@]}" -o pipe.npy
cmp -s none.npy broken.npy || fault "a broken tuning changes the result"
cmp -s none.npy pipe.npy || fault "a tuning that is a pipe changes the result"
good info
output_has "tuning: $tuned has nothing for this machine"

# --- Sensitivity ------------------------------------------------------------------------------

good sensitivity toy
output_has "grows exactly if"
output_has "agrees with what happens"
good sensitivity toy --alpha 0.8 --beta 1.6 --gamma 0.8 --kappa 1.6 -o toy.png
output_has "is wrong: it misses growth"
present toy.png
good sensitivity toy --alpha 1 --gamma -1.2 --beta .5 --kappa .5 --json -o toy.png # complex
output_has '"imaginary": -1.095445'
output_has '"criterion_agrees": false'
good sensitivity toy --alpha .6 --beta .4 --gamma .4 --kappa .5 --order deposit_first --json
output_has '"growth": "decays"'
good sensitivity toy --alpha 0 --beta 1 --gamma 0 --kappa 1 --json # everything is gone in a step
output_has '"exponent": null'
good sensitivity toy --alpha 10 --beta -10 --gamma -10 --kappa 10 -o toy.png
"$karst" sensitivity toy -o - >piped.png || fault "sensitivity toy -o - fails"
head -c 4 piped.png | grep -q PNG || fault "sensitivity toy -o - writes no picture"
bad 1 "alpha is" sensitivity toy --alpha nan
bad 1 "kappa is" sensitivity toy --kappa 11
bad 1 "--order is 'late'; allowed is one of synchronous" sensitivity toy --order late
bad 1 "'toy.jpg' is not a name of a picture" sensitivity toy -o toy.jpg
bad 1 "both go to the standard output" sensitivity toy --json -o -
bad 1 "a command is missing" sensitivity
good sensitivity oracles --device cpu --threads 2 --json
output_has '"system": "B3/S23 soup, one flip"'
! grep -q '"met": false' "$work/out" || fault "an oracle is missed"
# Few and small runs: what they find is known, as they are the same everywhere.
seed=(sensitivity seed physarum --size 64x64 --set steps=1 --bits "0,63" --seeds 12 --device cpu)
good "${seed[@]}" --quiet --threads 2 -o seed.json
good "${seed[@]}" --quiet --threads 1 -o again.json
cmp -s seed.json again.json || fault "sensitivity seed: another number of threads, other numbers"
[[ ! -e seed.json.state ]] || fault "sensitivity seed leaves its state"
grep -q '"met": true' seed.json || fault "sensitivity seed: not met"
good "${seed[@]}" --quiet --json
output_has '"distance": "bray_curtis"'
printf 'karst seed state 3 {}\n' >seed.json.state
bad 3 "seed.json.state: it is not of this measurement" "${seed[@]}" --quiet -o seed.json
rm seed.json.state
# Interrupted and gone on with, by another number of threads.
long=(sensitivity seed physarum --size 64x64 --set steps=30 --bits 0-31 --seeds 60 --repeat 0 --device cpu)
status_of_all=0
"$karst" "${long[@]}" --quiet --threads 2 -o whole.json >"$work/out" || status_of_all=$?
"$karst" "${long[@]}" --threads 1 --progress json -o parts.json >"$work/out" 2>"$work/err" &
interrupt $! '"fraction":0\.[1-9]' "$work/err" "an interrupted sensitivity seed"
[[ ! -e parts.json ]] || fault "an interrupted sensitivity seed leaves half a report"
kept=$(($(wc -l <parts.json.state) - 1)) # its first line says of what
((kept >= 1 && kept < 60)) || fault "an interrupted sensitivity seed keeps $kept base seeds"
status "$status_of_all" "${long[@]}" --quiet --threads 2 -o parts.json
cmp -s whole.json parts.json || fault "sensitivity seed: other numbers after an interruption"
[[ ! -e parts.json.state ]] || fault "sensitivity seed leaves its state after going on"
nothing=(sensitivity seed life --size 8x8 --set density=0 --set generations=1 --bits 5 --seeds 2)
status 6 "${nothing[@]}" --repeat 0 --quiet
one_message "'life: cells' at step 0, hamming: no seed changes anything" "seeds that change nothing"
bad 1 "there is no generator 'lava'; allowed is one of life, physarum" sensitivity seed lava
bad 1 "bits is 64;" sensitivity seed life --bits 64
bad 1 "--bits has '3-1'" sensitivity seed life --bits 3-1
bad 1 "seeds is 1;" sensitivity seed life --seeds 1
bad 1 "steps is 'x'" sensitivity seed life --steps x
bad 1 "life has no --preset" sensitivity seed life --preset alps
bad 1 "density is" sensitivity seed life --set density=2
bad 2 "no/seed.json" sensitivity seed life -o no/seed.json
good bits --bytes 100 --size 32x32 --set steps=3 -o bits.bin --json
[[ $(stat -c %s bits.bin) == 100 ]] || fault "bits: not 100 bytes"
"$karst" bits --bytes 100 --size 32x32 --set steps=3 --threads 1 -o - 2>"$work/err" |
    cmp -s - bits.bin || fault "bits: other bytes on the standard output"
bad 1 "--raw and --whitened together" bits --bytes 1 --raw --whitened -o bits.bin
bad 1 "--source is 'sky'; allowed is one of random, key, threshold, lowest" bits --bytes 1 --source sky -o b
bad 1 "bytes is 0;" bits --bytes 0 -o b
bad 5 "no field that bits are taken from" bits --generator life --bytes 1 -o b
# Two base seeds decide nothing, so that the status is 6; the page is there all the same.
small_report=(sensitivity report cave --size 16x16 --seeds 2 --device cpu --quiet -o page)
status 6 "${small_report[@]}"
/usr/bin/python3 - page <<'EOF' || fault "sensitivity report: the page has other numbers than the JSON"
import json, re, sys
page = open(sys.argv[1] + "/report.html").read()
report = json.load(open(sys.argv[1] + "/report.json"))
inside = re.search(r'id="report">(.*?)</script>', page, re.S)[1]
assert json.loads(inside) == report
numbers = set()
def walk(value):
    if isinstance(value, dict): [walk(v) for v in value.values()]
    elif isinstance(value, list): [walk(v) for v in value]
    elif isinstance(value, (int, float)): numbers.add(float(value))
walk(report)
shown = re.findall(r'data-v="([^"]*)"', page)
assert len(shown) > 500 and all(float(v) in numbers for v in shown)
assert {p["result"]["kind"] for p in report["parts"]} == {"oracles", "seed", "parameters", "state"}
assert "http" not in re.sub(r'xmlns="[^"]*"', "", page)
EOF
cp page/seed_cave_limestone.json kept.json
touch -d 2001-01-01 page/*.json
status 6 "${small_report[@]}"
[[ -z $(find page -name 's*.json' -newermt 2002-01-01) ]] || fault "sensitivity report: parts made again"
cmp -s kept.json page/seed_cave_limestone.json || fault "sensitivity report changes a part that is done"
# What an older version left half done or whole is no part of this report.
sed -i '/seed_cave/s/measurement [0-9]*/measurement 0/' page/parts.json
echo "karst seed state 0 {}" >page/seed_cave_limestone.json.state
echo "{}" >page/seed_cave_limestone.json
status 6 "${small_report[@]}"
cmp -s kept.json page/seed_cave_limestone.json || fault "sensitivity report keeps a part of another version"
[[ ! -e page/seed_cave_limestone.json.state ]] || fault "sensitivity report keeps a state of another version"
bad 1 "there is no generator 'lava'" sensitivity report lava -o other
bad 1 "seeds is 1;" sensitivity report --seeds 1 -o other
mkdir hostile && echo '{"oracles": 3}' >hostile/parts.json
bad 3 "is no list of parts" sensitivity report -o hostile
bad 1 "allowed is a folder" sensitivity report -o -
[[ ! -e other ]] || fault "sensitivity report leaves a folder"
for threads in 1 3; do
    good sensitivity state physarum --size 64x48 --steps 60 --replicas 3 --device cpu --threads $threads \
        -o state$threads.json -o state.png
done
output_has "law of growth"
cmp -s state1.json state3.json || fault "sensitivity state depends on the threads"
present state.png
good sensitivity state life --size 1x1 --steps 3 --replicas 1 --device cpu --json # no interval, no front
output_has '"kind": "dies"'
good sensitivity state life --rule B1357/S1357 --size 64x64 --steps 8 --replicas 2 --device cpu --every 8
output_has " 8  0.001953 "
good sensitivity state life --dry-run --device cpu
bad 1 "the simulation is 'slime'" sensitivity state slime
bad 1 "--set is not for life" sensitivity state life --set deposit=1
bad 1 "--flip is not for physarum" sensitivity state physarum --flip 1,1
bad 1 "allowed is --steps" sensitivity state physarum --set steps=9
bad 1 "'a.txt' is no report" sensitivity state life -o a.txt
good sensitivity parameters physarum --size 48x48 --set steps=20 --seeds 2 --halvings 1 --device cpu \
    --only retain --only spawn -o knobs.json -o knobs.png
output_has "retain"
grep -q '"verdict": "jump"' knobs.json || fault "no verdict of a choice"
present knobs.png
bad 1 "did you mean 'retain'" sensitivity parameters physarum --only retian
bad 1 "layer is 'graph'" sensitivity parameters crack --layer graph

report

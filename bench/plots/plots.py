"""Pictures of measured speeds: karst beside its peers, and how times grow.

    python3 bench/plots/plots.py FOLDER FILE...

Takes the JSON of `karst bench --json`, of `karst bench --scaling --json` and the lines that the
programs of bench/peers print, all of one run on one machine, and writes those of FOLDER/life.png,
physarum.png and scaling.png for which there is something. Needs matplotlib (python3-matplotlib of
Debian).
"""
import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

OURS, THEIRS, LIMIT = "#c2571a", "#7a8b99", "#c9d1d6"


def read(paths):
    """The rows of karst, the laws of --scaling and the lines of the peers."""
    rows, laws, peers = [], [], []
    for path in paths:
        text = pathlib.Path(path).read_text()
        try:
            report = json.loads(text)
        except json.JSONDecodeError:
            lines = [line for line in text.splitlines() if line.startswith("{")]
            peers += [json.loads(line) for line in lines]
            continue
        if "simulation" in report:  # a single line
            peers.append(report)
        rows += [row for row in report.get("results", []) if "median_seconds" in row]
        laws += [law for law in report.get("scaling", []) if "b" in law]
    return rows, laws, peers


def bars(axes, names, values, colours, text):
    """Horizontal bars on a logarithmic scale, the largest at the bottom, with their numbers."""
    places = range(len(names))
    axes.barh(places, values, color=colours)
    axes.set_yticks(list(places), names)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlim(min(values) / 2, max(values) * 4)
    for place, value in zip(places, values):
        axes.text(value * 1.08, place, text(value), va="center", fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)


def three_digits(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def save(figure, folder, name):
    figure.tight_layout()
    figure.savefig(pathlib.Path(folder) / name, dpi=110)
    plt.close(figure)


def plot_life(folder, rows, peers):
    peers = [peer for peer in peers if peer["simulation"] == "life"]
    if not peers:
        return
    side = max(peer["side"] for peer in peers)
    size = f"{side}x{side}/B3/S23"
    entries = [(peer["ms"], peer["peer"], LIMIT if "copy" in peer["peer"] else THEIRS)
               for peer in peers if peer["side"] == side]
    for start, name in (("life/", "karst"), ("life-int8/", "karst, a byte a cell")):
        entries += [(row["median_seconds"] * 1e3, name, OURS)
                    for row in rows if row["name"] == start + size]
    entries.sort()
    figure, axes = plt.subplots(figsize=(7.5, 3))
    bars(axes, [name for _, name, _ in entries], [ms for ms, _, _ in entries],
         [colour for _, _, colour in entries], lambda ms: three_digits(ms) + " ms")
    axes.set_xlabel("ms a generation, less is better")
    axes.set_title(f"Life B3/S23, {side} x {side} cells, torus", loc="left")
    save(figure, folder, "life.png")


def plot_physarum(folder, rows, peers):
    peers = [peer for peer in peers if peer["simulation"] == "physarum"]
    cases = sorted({(peer["side"], peer["agents"]) for peer in peers})
    if not cases:
        return
    figure, all_axes = plt.subplots(len(cases), 1, squeeze=False,
                                    figsize=(7.5, 1.5 * len(cases) + 0.4))
    for axes, (side, agents) in zip(all_axes.flat, cases):
        entries = [(peer["agent_steps_per_second"] / 1e9, peer["peer"], THEIRS)
                   for peer in peers if (peer["side"], peer["agents"]) == (side, agents)]
        entries += [(row["rate"] / 1e9, "karst", OURS) for row in rows
                    if row["name"].startswith(f"physarum/{side}x{side}/")
                    and abs(row["per_step"] / agents - 1) < 0.01]
        entries.sort(reverse=True)
        bars(axes, [name for _, name, _ in entries], [rate for rate, _, _ in entries],
             [colour for _, _, colour in entries], three_digits)
        axes.set_xlim(0.2, 200)
        axes.set_title(f"{side} x {side} cells, {agents / 1e6:.2g} million agents", loc="left",
                       fontsize=10)
    all_axes[-1, 0].set_xlabel("10^9 agent-steps a second, more is better")
    save(figure, folder, "physarum.png")


def plot_scaling(folder, laws):
    if not laws:
        return
    lines = (len(laws) + 1) // 2
    figure, all_axes = plt.subplots(lines, 2, figsize=(9, 3 * lines + 0.5), squeeze=False)
    for axes in all_axes.flat[len(laws):]:
        axes.set_visible(False)
    for axes, law in zip(all_axes.flat, laws):
        points = law["points"]
        axes.loglog([n for n, _ in points], [t for _, t in points], "o", color=OURS, ms=5)

        def line(its, style, label, start):
            steps = [start * (points[-1][0] / start) ** (i / 100) for i in range(101)]
            axes.loglog(steps, [its["a"] * n ** its["b"] + its["c"] for n in steps], style,
                        color="black", lw=1, label=label)

        line(law, ":", f"all: b = {law['b']:.3f}, c = {law['c']:.2g} s", points[0][0])
        if "above_cache" in law:
            above = law["above_cache"]
            line(above, "-", f"above the cache: b = {above['b']:.3f}, c = {above['c']:.2g} s",
                 above["from"])
            axes.axvspan(above["from"], points[-1][0] * 1.2, color=LIMIT, alpha=0.4, lw=0)
        axes.set_xlim(points[0][0] / 1.2, points[-1][0] * 1.2)
        axes.set_title(f"{law['name']}, n = {law['variable']}", loc="left", fontsize=10)
        axes.legend(fontsize=8, frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle("t = a n^b + c; grey: a field of four times the last cache or more", fontsize=10)
    save(figure, folder, "scaling.png")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder = sys.argv[1]
    rows, laws, peers = read(sys.argv[2:])
    if not rows and not laws and not peers:
        sys.exit("there is no measurement in these files")
    plot_life(folder, rows, peers)
    plot_physarum(folder, rows, peers)
    plot_scaling(folder, laws)


main()

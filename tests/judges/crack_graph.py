"""Compares PRESET.json and PRESET.svg with PRESET.mask.npy and PRESET.plates.npy: crack_graph.py
PRESET. The counts share nothing with karst: the Euler characteristic of the mask's closed cells, a
parallel thinning (Guo and Hall 1989) with its own pruning, the SVG as ImageMagick drew it."""
import json
import math
import sys
import xml.etree.ElementTree as xml
from collections import defaultdict

import numpy as np

CELL = 0.005
failures = 0


def check(what, holds, *values):
    global failures
    print("  ok  " if holds else "FAULT ", what, *values)
    failures += not holds


def shifted(a, dx, dy):
    """shifted(a, dx, dy)[y, x] = a[y + dy, x + dx] on the torus."""
    return np.roll(np.roll(a, -dx, axis=1), -dy, axis=0)


def euler(mask):
    left = mask | shifted(mask, -1, 0)
    top = mask | shifted(mask, 0, -1)
    corner = left | shifted(left, 0, -1)
    return int(mask.sum()) - int(left.sum()) - int(top.sum()) + int(corner.sum())


def pieces(mask):
    """8-connected, by spreading the smallest label."""
    label = np.where(mask, np.arange(mask.size).reshape(mask.shape), mask.size)
    while True:
        before = label
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            for sign in (1, -1):
                label = np.where(mask, np.minimum(label, shifted(label, sign * dx, sign * dy)), label)
        if (label == before).all():
            return len(np.unique(label[mask]))


def thinned(mask):
    mask = mask.copy()
    while True:
        before = mask.sum()
        for odd in (0, 1):
            ring = [shifted(mask, dx, dy) for dx, dy in
                    ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))]
            p2, p3, p4, p5, p6, p7, p8, p9 = ring
            crossings = sum((~a & (b | c)).astype(int) for a, b, c in
                            ((p2, p3, p4), (p4, p5, p6), (p6, p7, p8), (p8, p9, p2)))
            n1 = sum((a | b).astype(int) for a, b in ((p9, p2), (p3, p4), (p5, p6), (p7, p8)))
            n2 = sum((a | b).astype(int) for a, b in ((p2, p3), (p4, p5), (p6, p7), (p8, p9)))
            n = np.minimum(n1, n2)
            m = ((p6 | p7 | ~p9) & p8) if odd == 0 else ((p2 | p3 | ~p5) & p4)
            mask = mask & ~((crossings == 1) & (n >= 2) & (n <= 3) & ~m)
        if mask.sum() == before:
            return mask


def lines_of(mask, thin):
    """Junctions, ends and length of a thinned mask without spurs, in cells."""
    height, width = thin.shape
    cells = {(int(x), int(y)) for y, x in zip(*np.nonzero(thin))}
    links = defaultdict(set)
    for x, y in cells:
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                to = ((x + dx) % width, (y + dy) % height)
                if (dx, dy) == (0, 0) or to not in cells:
                    continue
                beside = (((x + dx) % width, y) in cells, (x, (y + dy) % height) in cells)
                if dx == 0 or dy == 0 or not any(beside):
                    links[(x, y)].add(to)
    # Half widths: rings of cells peeled off by squares and crosses in turn, about an octagon.
    depth = np.zeros(mask.shape)
    left, ring = mask.copy(), 0
    while left.any():
        depth[left] += 1
        around = [(1, 0), (-1, 0), (0, 1), (0, -1)]
        if ring % 2:
            around += [(1, 1), (1, -1), (-1, 1), (-1, -1)]
        left = np.logical_and.reduce([left] + [shifted(left, dx, dy) for dx, dy in around])
        ring += 1

    def near(cell):
        return max(depth[(cell[1] + dy) % height, (cell[0] + dx) % width]
                   for dx in (-1, 0, 1) for dy in (-1, 0, 1))

    # Chains from ends to where three meet; too short ones go, shortest first.
    while True:
        spurs = []
        for cell in list(links):
            if len(links[cell]) != 1:
                continue
            chain, before = [cell], None
            while True:
                ahead = [c for c in links[chain[-1]] if c != before]
                if len(chain) > 1 and len(links[chain[-1]]) != 2:
                    break
                if not ahead:
                    break
                before = chain[-1]
                chain.append(ahead[0])
            if len(links[chain[-1]]) > 2 and len(chain) - 1 < 2 * near(chain[-1]) - 1:
                spurs.append((len(chain), chain))
        if not spurs:
            break
        _, chain = min(spurs)
        for a, b in zip(chain, chain[1:]):
            links[a].discard(b)
            links[b].discard(a)
        for cell in chain[:-1]:
            del links[cell]
    ends = sum(len(to) == 1 for to in links.values())
    length = sum(math.dist((0, 0), (min(abs(a[0] - b[0]), 1), min(abs(a[1] - b[1]), 1)))
                 for a in links for b in links[a]) / 2
    # Cells where three meet that are no farther apart than the half width are one junction.
    branching = [c for c in links if len(links[c]) > 2]
    root = {c: c for c in branching}

    def find(c):
        while root[c] != c:
            c = root[c]
        return c

    for a in branching:
        reach, seen, front = near(a), {a}, [(0, a)]
        while front:
            far, cell = front.pop()
            for to in links[cell]:
                step = far + (1 if cell[0] == to[0] or cell[1] == to[1] else math.sqrt(2))
                if to not in seen and step <= reach:
                    seen.add(to)
                    front.append((step, to))
                    if to in root:
                        root[find(to)] = find(a)
    return len({find(c) for c in branching}), ends, length


name = sys.argv[1]
mask = np.load(name + ".mask.npy") > 0
plates = np.load(name + ".plates.npy")
with open(name + ".json", encoding="utf-8") as file:
    graph = json.load(file)
nodes, edges = graph["nodes"], graph["edges"]
height, width = mask.shape

parent = list(range(len(nodes)))


def top_of(i):
    while parent[i] != i:
        i = parent[i]
    return i


for edge in edges:
    parent[top_of(edge["from"])] = top_of(edge["to"])
parts = len({top_of(i) for i in range(len(nodes))})
parts_of_mask = pieces(mask)
check("pieces", parts == parts_of_mask, parts)
loops = len(edges) - len(nodes) + parts
check("independent loops", loops == parts_of_mask - euler(mask), loops)
check("degrees", all(n["degree"] == len(n["edges"]) for n in nodes) and
      all(0 <= p < s for n in nodes for p, s in zip(n["position"], graph["size"])))

junctions, ends, length = lines_of(mask, thinned(mask))
ours = sum(n["kind"] == "junction" for n in nodes)
check("junctions within 3 %", abs(ours - junctions) <= 0.03 * junctions, ours, junctions)
our_ends = sum(n["kind"] == "end" for n in nodes)
check("ends within 15 %", abs(our_ends - ends) <= max(2, 0.15 * ends), our_ends, ends)
total = sum(e["length"] for e in edges) / CELL
# Steps between cells are up to 8 % longer than a line, 5 % in the mean over all directions.
check("length from -8 % to 1 % of the steps", -0.08 <= total / length - 1 <= 0.01,
      round(total), round(length))
area = sum(e["length"] * e["width"] for e in edges) / CELL ** 2
check("length times width within 6 % of the area", abs(area / mask.sum() - 1) <= 0.06,
      round(area), int(mask.sum()))
check("lengths of the points", all(
    abs(sum(math.dist(a, b) for a, b in zip(e["points"], e["points"][1:])) - e["length"])
    <= 1e-3 * e["length"] + CELL / 10 for e in edges))


def turns(point, node):
    return [(p - q) / s for p, q, s in zip(point, node["position"], graph["size"])]


check("points from node to node", all(
    turns(e["points"][0], nodes[e["from"]]) == [0, 0] and
    all(abs(t - round(t)) < 1e-4 for t in turns(e["points"][-1], nodes[e["to"]])) for e in edges))

asked = agree = 0
for edge in edges:
    points = edge["points"]
    (x0, y0), (x1, y1) = max(zip(points, points[1:]), key=lambda ab: math.dist(*ab))
    off = (edge["width"] / 2 + 2 * CELL) / math.dist((x0, y0), (x1, y1))
    for side, sign in ((0, 1), (1, -1)):
        x = (x0 + x1) / 2 + sign * off * (y1 - y0)
        y = (y0 + y1) / 2 - sign * off * (x1 - x0)
        plate = int(plates[int(y // CELL) % height, int(x // CELL) % width])
        if plate != 0xFFFFFFFF and edge["plates"][side] is not None:
            asked += 1
            agree += plate == edge["plates"][side]
check("plates beside the edges", asked > len(edges) and agree >= 0.97 * asked, agree, asked)

svg = xml.parse(name + ".svg").getroot()
space = "{http://www.w3.org/2000/svg}"
check("svg", svg.tag == space + "svg" and svg.get("viewBox") == f"0 0 {width} {height}")
lines = svg.findall(f".//{space}polyline")
check("strokes have widths", lines and all(float(line.get("stroke-width")) > 0 for line in lines))
groups = [g for g in svg.iter(space + "g") if g.get("id")]
check("a group for each edge", [g.get("id") for g in groups] ==
      [f"edge{i}" for i in range(len(edges))])
drawn = np.fromfile(name + ".raw", np.uint8).reshape(mask.shape) > 127
both, either = (drawn & mask).sum(), (drawn | mask).sum()
check("the drawing covers the mask", both >= 0.78 * either, round(both / either, 3))
border = np.zeros_like(mask)
border[:3], border[-3:], border[:, :3], border[:, -3:] = True, True, True, True
both, either = (drawn & mask & border).sum(), ((drawn | mask) & border).sum()
check("also at the border", both >= 0.75 * either, round(both / either, 3))
sys.exit(failures > 0)

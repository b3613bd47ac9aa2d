"""Conway's Life on a torus with a byte a cell, as people write it in PyTorch and Triton.

    python3 bench/peers/life.py [SIDE]        65536 if not given

The box sum of three rows and three columns in PyTorch, the same by torch.compile, and a Triton
kernel that reads the nine cells of its window. Every variant is first compared with a plain count
on a small board.
"""
import sys

import torch
import triton
import triton.language as tl

from timing import median_ms, report


def eager(cells):
    rows = cells + cells.roll(1, 0) + cells.roll(-1, 0)
    window = rows + rows.roll(1, 1) + rows.roll(-1, 1)
    return ((window == 3) | ((window == 4) & (cells == 1))).to(torch.int8)


compiled = torch.compile(eager)


@triton.jit
def generation(source, target, side, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    across = tl.cdiv(side, COLUMNS)
    first_row = (tl.program_id(0) // across) * ROWS
    first_column = (tl.program_id(0) % across) * COLUMNS
    y = first_row + tl.arange(0, ROWS)[:, None]
    x = first_column + tl.arange(0, COLUMNS)[None, :]
    inside = (y < side) & (x < side)
    alive = tl.load(source + y.to(tl.int64) * side + x, mask=inside, other=0)
    window = alive
    for dy in tl.static_range(-1, 2):
        row = (y + dy + side) % side
        for dx in tl.static_range(-1, 2):
            if dx != 0 or dy != 0:
                column = (x + dx + side) % side
                window += tl.load(source + row.to(tl.int64) * side + column, mask=inside, other=0)
    lives = (window == 3) | ((window == 4) & (alive == 1))
    tl.store(target + y.to(tl.int64) * side + x, lives.to(tl.int8), mask=inside)


def by_triton(cells, target, rows, columns, warps):
    side = cells.shape[0]
    blocks = triton.cdiv(side, rows) * triton.cdiv(side, columns)
    generation[(blocks,)](cells, target, side, rows, columns, num_warps=warps)
    return target


def plain(cells):
    """One cell after another, on the CPU."""
    board = cells.cpu().tolist()
    side = len(board)
    result = torch.zeros((side, side), dtype=torch.int8)
    for y in range(side):
        for x in range(side):
            count = sum(board[(y + dy) % side][(x + dx) % side]
                        for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy)
            result[y, x] = count == 3 or (board[y][x] == 1 and count == 2)
    return result


def check():
    cells = (torch.rand((67, 67), device="cuda") < 0.4).to(torch.int8)
    expected = plain(cells)
    for name, result in (("eager", eager(cells)), ("torch.compile", compiled(cells)),
                         ("triton", by_triton(cells, torch.empty_like(cells), 2, 128, 4))):
        if not torch.equal(result.cpu(), expected):
            sys.exit(f"life by {name} is wrong")


def soup(side):
    """Three of eight cells alive, made in pieces: random numbers need more memory than cells."""
    cells = torch.empty((side, side), device="cuda", dtype=torch.int8)
    for first in range(0, side, 4096):
        piece = cells[first:first + 4096]
        piece.copy_(torch.randint(0, 8, piece.shape, device="cuda", dtype=torch.int8) < 3)
    return cells


def main():
    side = int(sys.argv[1]) if len(sys.argv) > 1 else 65536
    check()
    cells = soup(side)
    target = torch.empty_like(cells)

    def measure(name, run, repetitions):
        report(simulation="life", peer=name, side=side, ms=median_ms(run, repetitions))

    measure("copy of the int8 board", lambda: target.copy_(cells), 9)
    measure("pytorch", lambda: eager(cells), 3)
    measure("torch.compile", lambda: compiled(cells), 5)
    shapes = ((1, 512), (1, 1024), (1, 2048), (2, 512), (4, 256), (4, 512), (8, 128))
    best = min((median_ms(lambda: by_triton(cells, target, rows, columns, warps), 3), rows, columns,
                warps) for rows, columns in shapes for warps in (4, 8))
    report(simulation="life", peer="triton", side=side, ms=best[0],
           shape=f"{best[1]}x{best[2]}, {best[3]} warps, best of {2 * len(shapes)}")


main()

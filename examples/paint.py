#!/usr/bin/env python3
"""Paints cross.png and river.png, maps for karst --food: paint.py [FOLDER]"""
import math
import os
import struct
import sys
import zlib

SIDE = 256


def png(path, grey):
    """An 8-bit grey PNG of SIDE x SIDE; grey(x, y) is from 0 to 1."""
    rows = b"".join(
        b"\0" + bytes(round(255 * grey(x + 0.5, y + 0.5)) for x in range(SIDE))
        for y in range(SIDE))

    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" +
                   chunk(b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, 8, 0, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def line(distance):
    """White within 2 cells of a line, soft over one more."""
    return min(1.0, max(0.0, 3.0 - distance))


def cross(x, y):
    return line(min(abs(x - SIDE / 2), abs(y - SIDE / 2)))


BENDS = [(SIDE * i / 400, SIDE * (0.5 + 0.2 * math.sin(i / 400 * 2 * math.pi)))
         for i in range(-4, 405)]


def river(x, y):
    return line(min(math.hypot(x - u, y - v) for u, v in BENDS))


folder = sys.argv[1] if len(sys.argv) > 1 else "."
png(os.path.join(folder, "cross.png"), cross)
png(os.path.join(folder, "river.png"), river)

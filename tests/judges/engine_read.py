"""Reads the heights of engine_samples.sh with NumPy and ImageMagick alone, turns the numbers into
metres by what FILE.import.json says to type into the engine, and compares them with the exact
heights. Runs in their folder."""
import json
import struct
import subprocess
import sys
import zlib

import numpy as np


def load(name):
    with open(name, encoding='utf-8') as file:
        return json.load(file)


def exact(name):
    layer = load(name + '.karst.json')['layer']
    return np.load(name).astype(np.float64) * layer['scale'] + layer['offset']


def png(name):
    """16-bit grey by ImageMagick, after it says that it is that."""
    said = subprocess.run(['identify', '-format', '%w %h %z %[type] %[colorspace]', name],
                          check=True, capture_output=True, text=True).stdout.split()
    assert said[2:] == ['16', 'Grayscale', 'Gray'], f'{name}: {said}'
    grey = subprocess.run(['convert', name, '-depth', '16', '-endian', 'LSB', 'gray:-'],
                          check=True, capture_output=True).stdout
    return np.frombuffer(grey, '<u2').reshape(int(said[1]), int(said[0]))


def raw(name, kind, width):
    return np.fromfile(name, kind).reshape(-1, width)


def check(name, metres, expected, half_step):
    worst = np.abs(metres - expected).max()
    assert metres.shape == expected.shape, f'{name}: {metres.shape}'
    assert worst <= half_step * (1 + 1e-9), f'{name}: {worst} m off, half a step is {half_step} m'
    print(f'checked {name}: at most {worst:.6f} m off')


def unreal(number, notes):
    scale, location = notes['import']['scale'], notes['import']['location_cm']
    assert scale[0] == notes['cell_m'] * 100
    return ((number - 32768.0) / 128 * scale[2] + location[2]) / 100


def unity(number, notes, steps=65536):
    return number / steps * notes['import']['terrain_height'] + notes['import']['position_y']


land = exact('Land.npy')
height, width = land.shape
notes = load('Land.png.import.json')
check('Land.png', unreal(png('Land.png'), notes), land, notes['scale_m'] / 2)
check('Land.raw', unreal(raw('Land.raw', '<u2', width), load('Land.raw.import.json')), land,
      notes['scale_m'] / 2)
assert load('Land.json') == {'width': width, 'height': height, 'bpp': 16}
components = notes['import']['components']
quads = notes['import']['section_quads'] * notes['import']['sections_per_component']
assert [components[0] * quads + 1, components[1] * quads + 1] == [width, height]

# Tiles that abut: put beside each other they are the ground, no sample twice.
notes = load('Tiled.png.import.json')
tiles = [[png(f'Tiled_x{x}_y{y}.png') for x in range(2)] for y in range(4)]
check('Tiled', unreal(np.block(tiles), notes), exact('Tiled.npy'), notes['scale_m'] / 2)
whole = np.block(tiles)
assert whole.min() == 0 and whole.max() == 65535, 'one range for all tiles'
assert min(t.max() - t.min() for row in tiles for t in row) < 65535, 'no range of its own'

# SetHeights counts rows from the south.
notes = load('Vale.raw.import.json')
check('Vale.raw', unity(raw('Vale.raw', '<u2', 129), notes)[::-1], exact('Vale.npy'),
      notes['scale_m'] / 2)
notes = load('Vales.raw.import.json')
vales = [[raw(f'Vales_{x}_{z}.raw', '<u2', 33) for x in range(4)] for z in range(2)]
for z in range(2):
    for x in range(4):
        if x < 3:
            assert (vales[z][x][:, -1] == vales[z][x + 1][:, 0]).all(), 'an eastern border differs'
        if z < 1:
            assert vales[z][x][-1].tobytes() == vales[z + 1][x][0].tobytes(), 'a northern one'
inner = np.block([[vales[z][x][(z > 0):, (x > 0):] for x in range(4)] for z in range(2)])
check('Vales', unity(inner, notes, 65535)[::-1], exact('Vales.npy'), notes['scale_m'] / 2)

notes = load('Godot.r16.import.json')
low, high = notes['import']['terrain3d']['r16_range']
check('Godot.r16', raw('Godot.r16', '<u2', width) / 65535 * (high - low) + low, land,
      notes['scale_m'] / 2)
notes = load('Generic.png.import.json')
check('Generic.png', png('Generic.png') * notes['scale_m'] + notes['offset_m'], land,
      notes['scale_m'] / 2)
check('Generic.r32', raw('Generic.r32', '<f4', width).astype(np.float64), land, 0)

def grey(name, size):
    """8-bit grey by ImageMagick."""
    said = subprocess.run(['identify', '-format', '%w %h %z', name], check=True,
                          capture_output=True, text=True).stdout.split()
    assert said == [str(size[0]), str(size[1]), '8'], f'{name}: {said}'
    bytes_ = subprocess.run(['convert', name, '-depth', '8', 'gray:-'], check=True,
                            capture_output=True).stdout
    return np.frombuffer(bytes_, 'u1').reshape(size[1], size[0])


def overlap(cells, paint):
    """The share of each of the map's cells in each sample, or of its two neighbours."""
    if cells <= paint:
        edges = np.arange(cells + 1) * paint / cells
        low, high = edges[:-1, None], edges[1:, None]
        at = np.arange(paint)[None, :]
        return (np.minimum(high, at + 1) - np.maximum(low, at)).clip(0) * cells / paint
    at = ((np.arange(cells) + 0.5) * paint / cells - 0.5).clip(0, paint - 1)
    return (1 - np.abs(at[:, None] - np.arange(paint)[None, :])).clip(0)


def painted_holes(paint, height, width):
    """Where at least half of a sample is bright, and where that is too near to tell."""
    bright = overlap(height, paint.shape[0]) @ (paint >= 128) @ overlap(width, paint.shape[1]).T
    return bright >= 0.5, np.abs(bright - 0.5) < 0.01


def open_quads(holes):
    return holes[:-1, :-1] | holes[1:, :-1] | holes[:-1, 1:] | holes[1:, 1:]


def exr(name, height, width, kind):
    """One channel of 32 bits: blocks of 16 rows, each zlib of differences of halves of bytes."""
    with open(name, 'rb') as file:
        data = file.read()
    at = 8
    while data[at]:  # attributes: name, type, size, value
        at = data.index(0, data.index(0, at) + 1) + 1
        at += 4 + struct.unpack_from('<i', data, at)[0]
    offsets = struct.unpack_from(f'<{(height + 15) // 16}q', data, at + 1)
    result = np.zeros((height, width), kind)
    for offset in offsets:
        y, size = struct.unpack_from('<2i', data, offset)
        part = result[y:y + 16]
        block = data[offset + 8:offset + 8 + size]
        if size < part.nbytes:
            steps = np.frombuffer(zlib.decompress(block), 'u1').astype(int)
            steps[1:] -= 128
            halves = (np.cumsum(steps) % 256).astype('u1')
            middle = (len(halves) + 1) // 2
            both = np.empty_like(halves)
            both[::2], both[1::2] = halves[:middle], halves[middle:]
            block = both.tobytes()
        part[:] = np.frombuffer(block, kind).reshape(part.shape)
    return result


paint = grey('Paint.png', (129, 129)) >= 128
assert 0.01 < paint.mean() < 0.5
assert ((grey('Holes_Pit.png', (128, 128)) == 0) == open_quads(paint)).all()
assert (raw('Pit.raw', '<u2', 129) == raw('Vale.raw', '<u2', 129)).all(), 'heights are kept'
assert load('Pit.raw.import.json')['holes'] == {'heights_are_nan': False,
                                                'files': ['Holes_Pit.png']}
flat, near = painted_holes(paint * 255, 65, 129)
for z in range(2):
    for x in range(4):
        rows, columns = slice(32 - 32 * z, 65 - 32 * z), slice(32 * x, 32 * x + 33)
        quads = grey(f'Holes_Pits_{x}_{z}.png', (32, 32))
        same = (quads == 0) == open_quads(flat[rows, columns])
        assert (same | open_quads(near[rows, columns])).all(), f'tile {x}, {z}'
flat, near = painted_holes(grey('Small.png', (20, 50)), 253, 127)
visible = grey('Visibility_Sink.png', (127, 253))
assert set(np.unique(visible)) == {0, 255}
assert (((visible == 255) == flat) | near).all() and near.mean() < 0.1
assert (png('Sink.png') == png('Land.png')).all(), 'heights are kept'
assert load('Well.exr.import.json')['holes'] == {'heights_are_nan': True,
                                                 'files': ['Control_Well.exr']}
metres = exact('Vale.npy').astype('f4')
for name in ('Well.exr', 'Shaft.exr'):
    stored = exr(name, 129, 129, '<f4')
    assert (np.isnan(stored) == paint).all() and (stored[~paint] == metres[~paint]).all(), name
assert (exr('Control_Well.exr', 129, 129, '<u4') == np.where(paint, 5, 1)).all()
print('checked holes')

used = len(np.unique(whole))
print(f'{used} levels of {whole.size} samples')
assert used > 0.4 * whole.size
print('all files as expected')
sys.exit()

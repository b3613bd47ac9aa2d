"""Reads the heights of engine_samples.sh with NumPy and ImageMagick alone, turns the numbers into
metres by what FILE.import.json says to type into the engine, and compares them with the exact
heights. Runs in their folder."""
import json
import subprocess
import sys

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
used = len(np.unique(whole))
print(f'{used} levels of {whole.size} samples')
assert used > 0.4 * whole.size
print('all files as expected')
sys.exit()

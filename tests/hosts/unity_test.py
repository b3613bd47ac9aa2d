"""The Unity script makes terrains of karst's tiles, with declarations in place of Unity:
    unity_test.py ROOT KARST FOLDER      Exit status 77: no C# compiler here.
"""
import json
import os
import shutil
import struct
import subprocess
import sys

root, karst, folder = map(os.path.abspath, sys.argv[1:])
if not shutil.which('mcs') or not os.path.exists('/usr/lib/mono/4.5/System.Runtime.Serialization.dll'):
    print('skipped: there is no mcs, or no System.Runtime.Serialization for it')
    sys.exit(77)
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.chdir(folder)
# 649: fields that JsonUtility alone fills.
subprocess.run(['mcs', '-langversion:6', '-warn:4', '-warnaserror', '-nowarn:649', '-out:unity.exe',
                '-r:System.Runtime.Serialization.dll', root + '/examples/unity/KarstImport.cs',
                root + '/tests/hosts/unity_declarations.cs'], check=True)

# Two columns and three rows of tiles of 65 x 65 samples, which share their borders.
COLUMNS, ROWS, SIDE, CELL = 2, 3, 65, 8
WIDTH, DEPTH = COLUMNS * (SIDE - 1) + 1, ROWS * (SIDE - 1) + 1
ground = [karst, 'heightmap', '--preset', 'canyon', '--seed', '11', '--cell', str(CELL), '--size', f'{WIDTH}x{DEPTH}',
          '--threads', '1', '--quiet', '--json']
subprocess.run(ground + ['--profile', 'unity', '--tiles', f'{COLUMNS}x{ROWS}', '-o', 'Land.raw'], check=True,
               stdout=subprocess.DEVNULL)
report = subprocess.run(ground + ['-o', 'elevation=Land.npy'], check=True, stdout=subprocess.PIPE).stdout
layer = next(layer for layer in json.loads(report)['layers'] if layer['name'] == 'elevation')
npy = open('Land.npy', 'rb').read()
exact = [number * layer['scale'] + layer['offset'] for number in
         struct.unpack_from(f'<{WIDTH * DEPTH}I', npy, 10 + struct.unpack('<H', npy[8:10])[0])]

# Unity's reader of JSON takes what is not there for empty, the one of Mono refuses it.
with open('Land.raw.import.json', encoding='utf-8') as file:
    notes = json.load(file)
with open('Land.json', 'w', encoding='utf-8') as file:
    json.dump({'holes': {'files': []}, **notes}, file)
said = subprocess.run(['mono', 'unity.exe', 'Land.json'], check=True, stdout=subprocess.PIPE, text=True).stdout
lines = [line.split() for line in said.splitlines()]
assert len({line[0] for line in lines}) == COLUMNS * ROWS, said
half_step = notes['scale_m'] / 2
worst = 0
for name, *numbers in lines:
    x, _, z, width, _, length = map(float, numbers)
    assert (width, length) == ((SIDE - 1) * CELL,) * 2, said
    metres = struct.unpack(f'<{SIDE * SIDE}f', open(name + '.metres', 'rb').read())
    for i, height in enumerate(metres):
        # Unity's (x, z) of a sample against karst's column and row: north is +Z.
        column = round((x + i % SIDE * CELL) / CELL)
        row = round(-(z + i // SIDE * CELL) / CELL)
        worst = max(worst, abs(height - exact[row * WIDTH + column]))
assert worst <= half_step * 1.05, (worst, half_step)
print(f'{len(lines)} terrains in their places, at most {worst * 1000:.2f} mm off; half a step is {half_step * 1000:.2f} mm')

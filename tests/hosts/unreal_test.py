"""What of the Unreal script needs no editor: unreal_test.py ROOT KARST FOLDER"""
import json
import os
import shutil
import struct
import subprocess
import sys
import zlib

sys.dont_write_bytecode = True
root, karst, folder = sys.argv[1:]
sys.path.insert(0, os.path.join(root, 'examples/unreal'))
import karst_import  # noqa: E402 (its folder was only now known)

shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.chdir(folder)
WIDTH, DEPTH = 127, 253
ground = [karst, 'heightmap', '--preset', 'canyon', '--seed', '11', '--cell', '4', '--size', f'{WIDTH}x{DEPTH}',
          '--threads', '1', '--quiet', '--json']
subprocess.run(ground + ['--profile', 'unreal', '-o', 'Land.r16'], check=True, stdout=subprocess.DEVNULL)
report = subprocess.run(ground + ['-o', 'elevation=Land.npy'], check=True, stdout=subprocess.PIPE).stdout
layer = next(layer for layer in json.loads(report)['layers'] if layer['name'] == 'elevation')

notes, cells = karst_import.read_heights('Land.r16')
png = karst_import.red_green_png(WIDTH, DEPTH, cells)
assert png[:8] == b'\x89PNG\r\n\x1a\n'
at, data = 8, {}
while at < len(png):
    size, kind = struct.unpack('>I4s', png[at:at + 8])
    body = png[at + 8:at + 8 + size]
    assert struct.unpack('>I', png[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
    data[kind] = body
    at += 12 + size
assert data[b'IHDR'] == struct.pack('>IIBBBBB', WIDTH, DEPTH, 8, 6, 0, 0, 0)
rows = zlib.decompress(data[b'IDAT'])
npy = open('Land.npy', 'rb').read()
exact = npy[10 + struct.unpack('<H', npy[8:10])[0]:]
# Unreal: metres = (number - 32768) / 128 * scale_z / 100 + location_z / 100.
scale, base = notes['import']['scale'][2], notes['import']['location_cm'][2]
worst = 0
for y in range(DEPTH):
    assert rows[y * (WIDTH * 4 + 1)] == 0
    for x in range(WIDTH):
        pixel = y * (WIDTH * 4 + 1) + 1 + x * 4
        number = rows[pixel] << 8 | rows[pixel + 1]
        metres = ((number - 32768) / 128 * scale + base) / 100
        stored = struct.unpack_from('<I', exact, (y * WIDTH + x) * 4)[0]
        worst = max(worst, abs(metres - (stored * layer['scale'] + layer['offset'])))
assert worst <= notes['scale_m'] / 2 * 1.001, worst
print(f'{WIDTH} x {DEPTH} heights through red and green: at most {worst * 1000:.2f} mm off')

for cut in ('Land.npy', 'Land.r16'):
    shutil.copy('Land.r16.import.json', 'Cut.r16.import.json')
    with open('Cut.r16', 'wb') as file:
        file.write(open(cut, 'rb').read()[:-2])
    try:
        karst_import.read_heights('Cut.r16')
    except ValueError:
        continue
    raise AssertionError('a file of another size was taken')

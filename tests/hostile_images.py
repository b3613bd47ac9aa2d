"""Images, arrays, patterns and networks that nobody vouches for: hostile_images.py PROGRAM

Each is read where karst reads one. The program refuses it with status 1, 2 or 3 and one message
that names the file, takes little memory and time, and leaves nothing behind. The files are made
here, by a generator with a seed, with the standard library alone.
"""
import binascii
import json
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

SIGNATURE = b'\x89PNG\r\n\x1a\n'
GREY, RGB, PALETTE, GREY_ALPHA, RGB_ALPHA = 0, 2, 3, 4, 6
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGB_ALPHA: 4}
MOST_EXTRA_KIB = 16 * 1024  # of memory, beyond what a good file takes
rng = random.Random(4)


# --- PNG --------------------------------------------------------------------------------------

def chunk(kind, data, crc=None, length=None):
    if crc is None:
        crc = binascii.crc32(kind + data)
    return struct.pack('>I', len(data) if length is None else length) + kind + data + \
        struct.pack('>I', crc)


def header(width, height, depth=8, colour=GREY, compression=0, filtering=0, interlace=0):
    return chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, depth, colour, compression,
                                      filtering, interlace))


def rows(width, height, depth=8, colour=GREY):
    size = (width * depth * CHANNELS.get(colour, 1) + 7) // 8
    return b''.join(b'\0' + rng.randbytes(size) for _ in range(height))


def png(width=24, height=16, depth=8, colour=GREY, before=b'', pixels=None, **fields):
    pixels = rows(width, height, depth, colour) if pixels is None else pixels
    return SIGNATURE + header(width, height, depth, colour, **fields) + before + \
        chunk(b'IDAT', zlib.compress(pixels)) + chunk(b'IEND', b'')


def chunks_of(image):
    """The chunks as (offset of the data, length)."""
    at = len(SIGNATURE)
    while at < len(image):
        length = struct.unpack_from('>I', image, at)[0]
        yield at + 8, length
        at += length + 12


def flipped(image, at, mended):
    """One bit of another value, with the CRC of its chunk as it was or as it then must be."""
    changed = bytearray(image)
    changed[at] ^= 1 << rng.randrange(8)
    for start, length in chunks_of(image):
        if mended and start <= at < start + length:
            crc = binascii.crc32(bytes(changed[start - 4:start + length]))
            struct.pack_into('>I', changed, start + length, crc)
    return bytes(changed)


def images():
    grey = png()
    colours = chunk(b'PLTE', bytes(range(48)))
    for base in (grey, png(depth=16, colour=RGB), png(depth=4, colour=PALETTE, before=colours)):
        for cut in sorted(rng.sample(range(len(base)), 8)) + [len(base) - 1]:
            yield f'cut at {cut} of {len(base)}', base[:cut]
    (start, length) = list(chunks_of(grey))[1]  # IDAT
    for at in rng.sample(range(start, start + length), 8):
        yield f'flipped at {at}', flipped(grey, at, False)
        yield f'flipped at {at}, CRC mended', flipped(grey, at, True)
    for at in range(8, len(SIGNATURE) + 8 + 13 + 4, 3):  # IHDR, its length and its CRC too
        yield f'flipped at {at}', flipped(grey, at, False)

    for depth, colour in ((0, GREY), (3, GREY), (32, GREY), (255, GREY), (4, RGB), (16, PALETTE),
                          (1, GREY_ALPHA), (2, RGB_ALPHA), (8, 1), (8, 5), (8, 7), (8, 255)):
        yield f'depth {depth} with colour type {colour}', \
            SIGNATURE + header(24, 16, depth, colour) + grey[33:]
    for fields in ({'compression': 1}, {'filtering': 1}, {'interlace': 2}, {'interlace': 255}):
        yield f'{fields}', png(**fields)
    yield 'Adam7 with straight rows', png(interlace=1)

    for width, height in ((2**31, 16), (16, 2**31), (2**31 - 1, 2**31 - 1), (2**32 - 1, 1),
                          (0, 16), (16, 0), (1000001, 1), (1000000, 1000000), (65536, 65536)):
        for depth, colour in ((1, GREY), (16, RGB_ALPHA)):
            yield f'{width} x {height}', \
                SIGNATURE + header(width, height, depth, colour) + \
                chunk(b'IDAT', zlib.compress(b'\0' * 64)) + chunk(b'IEND', b'')
    yield 'a bomb that fills no more than a row', png(1000, 1000, pixels=b'\0' * 1001)
    yield 'no such filter', png(pixels=b'\5' * (25 * 16))
    yield 'rows missing', png(pixels=rows(24, 15))
    yield 'half a row', png(pixels=rows(24, 16)[:-12])

    whole = zlib.compress(rows(24, 16))
    for name, data in (('empty', b''), ('no zlib', b'\xff' * 40), ('raw deflate', whole[2:-4]),
                       ('a wrong checksum', whole[:-1] + bytes([whole[-1] ^ 1])),
                       ('a dictionary', bytes([0x78, 0xbb, 0, 0, 0, 1]) + whole[2:]),
                       ('a reserved block', b'\x78\x9c\x07' + bytes(40)),
                       ('stored, with a wrong length', b'\x78\x01\x01\x10\x00\x10\x00' + bytes(16)),
                       ('a match before the start', b'\x78\x9c\x63\x00\x01' + bytes(20))):
        yield f'pixels: {name}', SIGNATURE + header(24, 16) + chunk(b'IDAT', data) + \
            chunk(b'IEND', b'')
    end = chunk(b'IEND', b'')
    pixels = chunk(b'IDAT', whole)
    for name, body in (('no pixels', header(24, 16) + end), ('no header', pixels + end),
                       ('two headers', header(24, 16) + header(24, 16) + pixels + end),
                       ('the end first', end + header(24, 16) + pixels),
                       ('no end', header(24, 16) + pixels),
                       ('a palette image without one', header(24, 16, 8, PALETTE) + pixels + end),
                       ('a palette of 7 bytes', header(24, 16, 8, PALETTE) +
                        chunk(b'PLTE', bytes(7)) + pixels + end),
                       ('a palette of 257 colours', header(24, 16, 8, PALETTE) +
                        chunk(b'PLTE', bytes(257 * 3)) + pixels + end),
                       ('an unknown chunk that must be known',
                        header(24, 16) + chunk(b'EVIL', b'x') + pixels + end),
                       ('a chunk of 2^31 - 1 bytes',
                        header(24, 16) + chunk(b'tEXt', b'x', length=2**31 - 1) + pixels + end),
                       ('a chunk of 2^32 - 1 bytes',
                        header(24, 16) + chunk(b'tEXt', b'x', length=2**32 - 1) + pixels + end),
                       ('pixels of 2^31 - 1 bytes',
                        header(24, 16) + chunk(b'IDAT', whole, length=2**31 - 1)),
                       ('a chunk that is not named in letters',
                        header(24, 16) + chunk(b'\0\0\0\0', b'x') + pixels + end),
                       ('a header of 12 bytes', chunk(b'IHDR', bytes(12)) + pixels + end),
                       ('a header of 14 bytes', chunk(b'IHDR', bytes(14)) + pixels + end)):
        yield name, SIGNATURE + body
    yield 'nothing', b''
    yield 'a GIF', b'GIF89a' + bytes(60)
    yield 'a PNG turned into text', grey.replace(b'\r\n', b'\n')
    yield 'noise', rng.randbytes(5000)
    yield 'noise behind a signature', SIGNATURE + rng.randbytes(5000)
    yield 'noise behind a header', SIGNATURE + header(24, 16) + rng.randbytes(5000)


def deflated_zeros(first=b''):
    """32 MiB of them behind `first`, in 32 KiB, without taking the memory: what a process takes is
    what its parent took at the least."""
    deflate = zlib.compressobj()
    return b''.join([deflate.compress(first), *(deflate.compress(bytes(1 << 20)) for _ in range(32)),
                     deflate.flush()])


def tolerated_images():
    """Images that may be read, as long as what hangs on them does no harm."""
    zeros = deflated_zeros()
    bombs = chunk(b'zTXt', b'k\0\0' + zeros) + chunk(b'iTXt', b'k\0\1\0\0\0' + zeros) + \
        chunk(b'iCCP', b'k\0\0' + zeros)
    yield 'texts and a profile that unpack to 32 MiB', png(before=bombs)
    yield 'a bomb behind the pixels', SIGNATURE + header(24, 16) + \
        chunk(b'IDAT', deflated_zeros(rows(24, 16))) + chunk(b'IEND', b'')
    yield '10000 texts', png(before=chunk(b'tEXt', b'karst:layer\0' + b'x' * 90) * 10000)
    yield 'a text with a wrong CRC', png(before=chunk(b'tEXt', b'k\0x', crc=1))
    yield 'noise behind the end', png() + rng.randbytes(5000)


# --- arrays -----------------------------------------------------------------------------------

def npy(text, data=b'', version=1, length=None):
    text = text.encode('latin-1')
    length = len(text) if length is None else length
    return b'\x93NUMPY' + bytes([version, 0]) + \
        struct.pack('<H' if version == 1 else '<I', length) + text + data


def arrays():
    good = "{'descr': '<u2', 'fortran_order': False, 'shape': (8, 8), }\n"
    whole = npy(good, bytes(128))
    for cut in (0, 5, 7, 9, 20, 60, len(whole) - 1):
        yield f'cut at {cut}', whole[:cut]
    yield 'a byte more', whole + b'x'
    for shape in ('(1000000000000, 8)', '(8, 99999999999999999999)', '(-8, -8)', '(0, 8)', '(8, 0)',
                  '(134217728, 134217728)', '(8,)', '()', '(8, 8, 8)', '(8, 8, 3, 1)', '(64,)',
                  '(' + '8, ' * 40 + ')', '(' * 5000, '8, 8', "('8', '8')", '(8.0, 8)', '(65536, 65536)',
                  '(4294967296, 4294967296)', '(0x8, 8)'):
        yield f'shape {shape[:40]}', npy(good.replace('(8, 8)', shape), bytes(128))
    for kind in ('>u2', '<i2', '<f4', '<f8', '|b1', '|O', '<c16', '|S2', '<u8', '<u', '', '<u2<u2',
                 "[('x', '<u2')]", '\\x3cu2'):
        yield f'type {kind}', npy(good.replace('<u2', kind), bytes(128))
    yield "Fortran's order", npy(good.replace('False', 'True'), bytes(128))
    for text in ('', '{}', '{' * 5000, good[:-4], good + good, "{'descr': '<u2'}\n",
                 good.replace('shape', 'shaped'), good.replace("'", ''), good.replace(':', '='),
                 '__import__("os").system("touch evil")', '\0' * 60, '\xff' * 60):
        yield f'header {text[:30]!r}', npy(text, bytes(128))
    yield 'version 0', npy(good, bytes(128), 0)
    yield 'version 9', npy(good, bytes(128), 9)
    yield 'a header of 4 GB', npy(good, bytes(128), 2, 2**32 - 1)
    yield 'a header of 65535 bytes', npy(good, bytes(128), 1, 65535)


def bare_arrays():
    """Numbers without a header, and the manifest that says their size."""
    good = {'karst_manifest': 1, 'generator': 'heightmap', 'seed': '1', 'cell': 1, 'extent': [8, 8],
            'layer': {'name': 'height', 'type': 'u16', 'meaning': 'amount', 'unit': 'm'}}
    data = bytes(128)
    for size in (0, 1, 127, 129, 5000):
        yield f'{size} bytes for 128', bytes(size), json.dumps(good)
    for extent in ([], [8], [8, 8, 8], [0, 8], [-8, -8], [8, 1e30], ['8', '8'], [2**30, 2**30],
                   [2**62, 2**62], [134217728, 134217728], None, {}):
        yield f'extent {extent}', data, json.dumps({**good, 'extent': extent})
    for key, value in (('cell', -1), ('cell', 'x'), ('layer', []), ('layer', None), ('seed', 7),
                       ('generator', {}), ('karst_manifest', None)):
        bad = {**good, key: value}
        if value is None:
            del bad[key]
        yield f'{key} {value!r}', data, json.dumps(bad)
    for key, value in (('type', 'f8'), ('type', 7), ('channels', 3), ('channels', 1e300),
                       ('scale', '1'), ('name', [1]), ('file_offset', 'x')):
        yield f'{key} {value}', data, json.dumps({**good, 'layer': {**good['layer'], key: value}})
    yield 'a manifest that is infinite', data, json.dumps(good).replace('"cell": 1', '"cell": 1e999')
    yield 'a manifest that is cut', data, json.dumps(good)[:-9]
    yield 'a manifest without end', data, '[' * 100000
    yield 'no manifest', data, None


# --- patterns and networks --------------------------------------------------------------------

def patterns():
    yield 'nothing', b''
    yield 'no pattern', b'x = 3, y = 3\n'
    yield 'cut', b'x = 3, y = 3, rule = B3/S23\nbo$2b'
    yield 'a run of 10^30', b'x = 3, y = 3, rule = B3/S23\n' + b'9' * 30 + b'o!'
    yield 'a run of 2^40', b'x = 3, y = 3, rule = B3/S23\n1099511627776o!'
    yield 'rows without end', b'x = 3, y = 3, rule = B3/S23\n1099511627776$o!'
    yield 'sides of 10^12', b'x = 1000000000000, y = 1000000000000, rule = B3/S23\nbo!'
    yield 'sides below 0', b'x = -3, y = -3, rule = B3/S23\nbo!'
    yield 'no rule', b'x = 3, y = 3, rule = B99/S-1\nbo!'
    yield 'other letters', b'x = 3, y = 3, rule = B3/S23\n3qz!'
    yield 'noise', rng.randbytes(3000)


def networks(text):
    """`text` is a good one."""
    for cut in sorted(rng.sample(range(len(text)), 8)):
        yield f'cut at {cut}', text[:cut]
    good = json.loads(text)
    first = good['networks'][0]

    def edited(**members):
        return json.dumps({**good, **members})

    def network(**members):
        return edited(networks=[{**first, **members}] + good['networks'][1:])

    for value in (None, 0, 2, '1', [], -1):
        yield f'version {value}', edited(karst_network=value)
    for value in (None, 7, [], 'dragon', 'heightmap', '../crack', '\0', '\n\x1b[2J'):
        yield f'generator {value!r}', edited(generator=value)
    for value in (None, {}, [], [7], [[]], [None], [first] * 17, [first] * 2, 'x', [{}]):
        yield f'networks {str(value)[:20]}', edited(networks=value)
    for value in (None, -1, 1.5, 16, 2**63, 2**64 - 1, 2**70, '0', []):
        yield f'number {value}', network(number=value)
    width, height = first['size']
    for value in (None, [], [width], [width, height, 1], [0, height], [-width, -height],
                  [width, 1e300], [2**63, 2**63], [65536, 65536], [65537, 1], [str(width), height],
                  [height + 1, width], {'x': 1}):
        yield f'size {value}', network(size=value)
    trail = first['trail']
    for value in (None, 7, '', trail[:-4], trail + 'AAAA', trail[:-1] + '*', '=' * len(trail),
                  '\0' * len(trail), ' ' + trail[1:], trail[:8] + '\u00e9' + trail[9:],
                  trail[:40] + '====' + trail[44:], [trail]):
        yield f'trail {str(value)[:20]!r}', network(trail=value)
    yield 'nested', '[' * 100000
    yield 'nested objects', '{"networks":' * 5000
    yield 'nested where it is passed over', text[:-2].rstrip().rstrip('}') + ',"x":' + \
        '[' * 1000 + ']' * 1000 + '}'
    yield 'a key twice', text.replace('"generator"', '"generator": "crack", "generator"', 1)
    yield 'no UTF-8', text.replace('"generator"', '"\udcff\udcfe"', 1)
    yield 'a number beyond all', text.replace('"number":', '"number": 1e999, "n":', 1)
    yield 'a string', '"karst_network"'
    yield 'nothing', ''


# --- judging ----------------------------------------------------------------------------------

class Judge:
    def __init__(self, program):
        self.program = program
        self.tried = 0
        self.faults = []
        self.good_kib = 0

    def run(self, arguments):
        """Status, messages and KiB of one call."""
        with open('../messages', 'w+b') as messages:
            with subprocess.Popen([self.program, *arguments], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=messages) as process:
                _, wait_status, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(wait_status)
            messages.seek(0)
            return process.returncode, messages.read().decode('utf-8', 'replace'), used.ru_maxrss

    def good(self, arguments):
        """So that what is refused is refused for what is wrong with it."""
        status, said, kib = self.run(arguments)
        self.good_kib = max(self.good_kib, kib)
        if status != 0:
            self.faults.append(f'{arguments}: status {status}: {said[:300]}')

    def fault(self, name, arguments, what):
        self.faults.append(f'{name}: karst {" ".join(arguments)}: {what}')

    def hostile(self, name, file, arguments, allowed=(1, 2, 3)):
        self.tried += 1
        before = folder()
        status, said, kib = self.run(arguments)
        if status not in allowed:
            self.fault(name, arguments, f'status {status}: {said[:300]}')
        if status != 0 and (not said.startswith('karst: ') or said.count('\n') != 1):
            self.fault(name, arguments, f'not one message: {said[:300]!r}')
        if status != 0 and file not in said and not said.startswith('karst: pin'):
            self.fault(name, arguments, f'names neither file nor argument: {said[:300]!r}')
        if kib > self.good_kib + MOST_EXTRA_KIB:
            self.fault(name, arguments, f'{kib} KiB, and a good one {self.good_kib}')
        after = folder()
        if status != 0 and after != before:
            self.fault(name, arguments, f'left {sorted(set(after) ^ set(before))}')
        for path in set(after) - set(before):
            os.remove(path)


def folder():
    """Every file from the folder above on, but for the messages of the program."""
    return [(os.path.join(place, name)) for place, _, names in os.walk('..') for name in names
            if name != 'messages']


def write(path, content):
    with open(path, 'wb') as file:
        file.write(content if isinstance(content, bytes)
                   else content.encode('utf-8', 'surrogateescape'))


# Where karst reads a painted image; @ is the file.
READERS = (
    'crack --size 16x16 --walls-map @ -o out/mask.png',
    'heightmap --size 17x17 --food @ -o out/height.png',
    'cave --size 16x16 --spawn-map @ -o out/map.png',
    'simulate physarum --size 16x16 --steps 1 --map retain=@ -o out/trail.png -o out/trail.npy',
    'crack --size 16x16 --pin network.json --grow @ -o out/mask.png',
    'simulate life --size 16x16 --soup 0.5 --soup-map @ -o out/cells.png',
    'heightmap --size 17x17 --profile godot --holes @ -o out/height.exr',
    'preview @ -o out/preview.png',
)


def call(text, file):
    return text.replace('@', file).split()


def judge_all(judge):
    os.mkdir('out')
    write('good.png', png())
    judge.good(call('crack --size 16x16 -o network=network.json', ''))
    pin = 'crack --size 16x16 --pin @ --grow good.png -o out/mask.png'
    for reader in READERS:
        judge.good(call(reader, 'good.png'))
    judge.good(call(pin, 'network.json'))
    with open('network.json', encoding='utf-8') as file:
        network = file.read()
    shutil.rmtree('out')
    os.mkdir('out')

    for i, (name, image) in enumerate(images()):
        write('bad.png', image)
        judge.hostile(f'image {i}, {name}', 'bad.png', call(READERS[i % len(READERS)], 'bad.png'))
    for name, image in tolerated_images():
        for reader in READERS[::3]:
            write('bad.png', image)
            judge.hostile(name, 'bad.png', call(reader, 'bad.png'), (0, 1, 2, 3))
    write('bad.png', SIGNATURE + header(1000000, 1000000, 1) +
          struct.pack('>I', 2**31 - 1) + b'IDAT')
    os.truncate('bad.png', 200 << 20)  # long enough to hold so many pixels; on the disk it is not
    for reader in READERS:
        judge.hostile('2 TB of pixels', 'bad.png', call(reader, 'bad.png'))
    for name, array in arrays():
        write('bad.npy', array)
        judge.hostile(f'array, {name}', 'bad.npy', call(READERS[-1], 'bad.npy'))
    for i, (name, data, manifest) in enumerate(bare_arrays()):
        file = ('bad.r16', 'bad.raw')[i % 2]
        write(file, data)
        if manifest is not None:
            write(file + '.karst.json', manifest)
        judge.hostile(f'{file}, {name}', file, call(READERS[-1], file))
        if manifest is not None:
            os.remove(file + '.karst.json')
    for name, pattern in patterns():
        write('bad.rle', pattern)
        judge.hostile(f'pattern, {name}', 'bad.rle',
                      call('simulate life --in @ -o out/cells.png', 'bad.rle'))
    for name, text in networks(network):
        write('bad.json', text)
        judge.hostile(f'network, {name}', 'bad.json', call(pin, 'bad.json'))
    os.truncate('bad.json', 20000000)
    judge.hostile('network, 20 MB', 'bad.json', call(pin, 'bad.json'))


def main():
    judge = Judge(os.path.abspath(sys.argv[1]))
    with tempfile.TemporaryDirectory() as place:
        os.makedirs(os.path.join(place, 'run'))
        os.chdir(os.path.join(place, 'run'))
        os.environ['TMPDIR'] = place
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))  # seconds, of each process
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        judge_all(judge)
        os.chdir('/')
    for fault in judge.faults:
        print('FAIL:', fault)
    print(f'{judge.tried} hostile files, {len(judge.faults)} faults')
    return 1 if judge.faults else 0


sys.exit(main())

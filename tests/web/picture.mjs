// Pictures that a host drew: a reader of PNG, and what a picture must show.
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {inflateSync} from 'node:zlib';

// Grey levels of an 8-bit RGB or RGBA PNG without interlace.
export function readPng(bytes) {
    const width = bytes.readUInt32BE(16);
    const height = bytes.readUInt32BE(20);
    const channels = {2: 3, 6: 4}[bytes[25]];
    if (bytes.toString('latin1', 1, 4) !== 'PNG' || bytes[24] !== 8 || !channels || bytes[28] !== 0) {
        throw new Error('not an 8-bit RGB or RGBA PNG');
    }
    const parts = [];
    for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
        if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') {
            parts.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
        }
    }
    const data = inflateSync(Buffer.concat(parts));
    const row = width * channels;
    const grey = new Float32Array(width * height);
    let above = new Uint8Array(row);
    for (let y = 0; y < height; ++y) {
        const filter = data[y * (row + 1)];
        const line = new Uint8Array(data.subarray(y * (row + 1) + 1, (y + 1) * (row + 1)));
        for (let i = 0; i < row; ++i) {
            const a = i < channels ? 0 : line[i - channels];
            const b = above[i];
            const c = i < channels ? 0 : above[i - channels];
            const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
            const paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
            line[i] += [0, a, b, (a + b) >> 1, paeth][filter];
        }
        for (let x = 0; x < width; ++x) {
            const [r, g, b] = line.subarray(x * channels);
            grey[y * width + x] = 0.299 * r + 0.587 * g + 0.114 * b;
        }
        above = line;
    }
    return {width, height, grey};
}

const columns = 64;
const rows = 36;

// Means of 64 x 36 areas.
function shrink({width, height, grey}) {
    const sums = new Float64Array(columns * rows);
    const counts = new Float64Array(columns * rows);
    for (let y = 0; y < height; ++y) {
        for (let x = 0; x < width; ++x) {
            const area = Math.floor(y * rows / height) * columns + Math.floor(x * columns / width);
            sums[area] += grey[y * width + x];
            ++counts[area];
        }
    }
    return sums.map((sum, i) => Math.round(sum / counts[i]));
}

// Faults of a picture, as texts: of its areas `least` to `most` are not background, it has light and
// shade, and it is near a reference: a PGM of 64 x 36 areas. Null: the corner shows the background.
// KARST_UPDATE_PICTURES=1 in the environment writes the reference.
export function pictureFaults(png, reference, {background = null, least = 0.1, most = 0.9, tolerance = 3} = {}) {
    const picture = readPng(png);
    const faults = [];
    background ??= picture.grey[0];
    const shown = picture.grey.filter((level) => Math.abs(level - background) > 8);
    const share = shown.length / picture.grey.length;
    if (share < least || share > most) {
        faults.push(`${(share * 100).toFixed(1)} % of the picture is not background`);
    }
    // Levels that at least 1/500 of what is shown have.
    const histogram = new Uint32Array(256);
    shown.forEach((level) => ++histogram[Math.round(level)]);
    const levels = histogram.filter((count) => count * 500 > shown.length).length;
    if (levels < 40) {
        faults.push(`only ${levels} grey levels`);
    }
    const small = shrink(picture);
    if (process.env.KARST_UPDATE_PICTURES === '1') {
        const lines = Array.from({length: rows}, (_, y) =>
            Array.from(small.subarray(y * columns, (y + 1) * columns)).join(' '));
        writeFileSync(reference, `P2\n${columns} ${rows}\n255\n${lines.join('\n')}\n`);
    }
    if (!existsSync(reference)) {
        return [...faults, `there is no ${reference}`];
    }
    const stored = readFileSync(reference, 'latin1').split(/\s+/).slice(4, 4 + columns * rows).map(Number);
    const mean = small.reduce((sum, level, i) => sum + Math.abs(level - stored[i]), 0) / small.length;
    if (!(mean <= tolerance)) {
        faults.push(`${mean.toFixed(2)} grey levels from ${reference} in the mean; ${tolerance} are allowed`);
    }
    console.log(`${share.toFixed(3)} shown, ${levels} grey levels, ${mean.toFixed(2)} from the reference`);
    return faults;
}

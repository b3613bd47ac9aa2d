// vox-reader finds the cells of volumes: node read_vox.js FOLDER_OF_NODE_MODULES FILE.vox...
// Each FILE.vox is compared with the same layer as FILE.npy, voxel by voxel. Exit status 1 if one
// differs, 77 where vox-reader is not installed.
const fs = require('fs');
const path = require('path');
let readVox;
try {
    readVox = require(path.resolve(process.argv[2], 'node_modules', 'vox-reader'));
} catch (error) {
    console.log(`skipped: ${error.message.split('\n')[0]}`);
    process.exit(77);
}

const listOf = value => value === undefined ? [] : Array.isArray(value) ? value : [value];

// "x y z value" of each cell that is not 0, x east, y south, z up; and the extent.
function cellsOfNpy(file) {
    const bytes = fs.readFileSync(file);
    const start = 10 + bytes.readUInt16LE(8);
    const shape = bytes.toString('latin1', 10, start).match(/'shape': \((\d+), (\d+), (\d+)\)/);
    const [depth, height, width] = shape.slice(1).map(Number);
    const cells = new Set();
    bytes.subarray(start).forEach((value, i) => {
        if (value) {
            const row = Math.floor(i / width);
            cells.add(`${i % width} ${row % height} ${Math.floor(row / height)} ${value}`);
        }
    });
    return {cells, extent: [width, height, depth]};
}

// A single model stands at the origin, several where their nodes move them: by their middle voxel,
// so that the middle of the whole ground is 0. y is to the north.
function cellsOfVox(file, [width, height]) {
    const scene = readVox([...fs.readFileSync(file)]);
    const sizes = listOf(scene.size);
    const voxels = listOf(scene.xyzi);
    const lows = sizes.map(() => [0, 0, 0]);
    for (const shape of listOf(scene.nshp)) {
        const mover = listOf(scene.ntrn).find(node => node.child === shape.nodeId);
        const model = shape.models[0][0];
        const size = sizes[model];
        const place = mover.frames[0]._t.split(' ').map(Number);
        lows[model] = [place[0] - Math.floor(size.x / 2) + Math.floor(width / 2),
                       place[1] - Math.floor(size.y / 2) + Math.floor(height / 2),
                       place[2] - Math.floor(size.z / 2)];
    }
    const cells = [];
    voxels.forEach(({numVoxels, values}, model) => {
        if (numVoxels !== values.length) {
            throw new Error(`${file}: ${values.length} voxels, ${numVoxels} stated`);
        }
        const [u, v, w] = lows[model];
        values.forEach(({x, y, z, i}) =>
            cells.push(`${u + x} ${height - 1 - (v + y)} ${w + z} ${scene.rgba.values[i - 1].r}`));
    });
    return {cells, sizes};
}

let failed = false;
for (const file of process.argv.slice(3)) {
    const {cells, extent} = cellsOfNpy(file.replace(/vox$/, 'npy'));
    const read = cellsOfVox(file, extent);
    const same = read.cells.length === cells.size &&
        new Set(read.cells).size === cells.size && read.cells.every(cell => cells.has(cell));
    const sizes = read.sizes.map(({x, y, z}) => `${x}x${y}x${z}`).join(' and ');
    console.log(`${file}: ${sizes}, ${read.cells.length} voxels` +
                (same ? '' : `, not the ${cells.size} of ${extent.join('x')}`));
    if (!same || (read.sizes.length === 1 && sizes !== extent.join('x'))) {
        failed = true;
    }
}
process.exit(failed ? 1 : 0);

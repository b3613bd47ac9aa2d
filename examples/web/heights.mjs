// Heights that karst wrote, in metres. NAME.import.json beside the file says what the numbers mean:
//     karst heightmap --profile generic|unity --tiles 1x1 -o NAME.r16|.raw|.r32
export async function loadHeights(url) {
    const [numbers, notes] = await Promise.all([
        get(url).then((response) => response.arrayBuffer()),
        get(`${url}.import.json`).then((response) => response.json()),
    ]);
    const [width, depth] = notes.samples;
    if (notes.files.length !== 1 || numbers.byteLength !== width * depth * (notes.bits / 8)) {
        throw new Error(`${url} is not one file of ${width} x ${depth} samples of ${notes.bits} bits`);
    }
    const view = new DataView(numbers);
    const number = notes.numbers === 'float' ? (i) => view.getFloat32(i * 4, true)
                                             : (i) => view.getUint16(i * 2, true);
    const metres = new Float32Array(width * depth);
    for (let row = 0; row < depth; ++row) {
        const from = notes.rows === 'from the south' ? depth - 1 - row : row;
        for (let x = 0; x < width; ++x) {
            metres[row * width + x] = number(from * width + x) * notes.scale_m + notes.offset_m;
        }
    }
    return {width, depth, metres, cell: notes.cell_m}; // rows from the north
}

async function get(url) {
    const response = await fetch(url);
    if (!response.ok) {
        throw new Error(`${url}: ${response.status} ${response.statusText}`);
    }
    return response;
}

// Red, green and blue of each vertex: grass where the ground is flat, rock where it is steep.
export function groundColours(normals) {
    const grass = [0.30, 0.36, 0.17];
    const rock = [0.50, 0.43, 0.36];
    const colours = new Float32Array(normals.length);
    for (let i = 0; i < normals.length; i += 3) {
        const steep = Math.min(Math.max((0.93 - normals[i + 1]) / 0.15, 0), 1);
        for (let c = 0; c < 3; ++c) {
            colours[i + c] = grass[c] + (rock[c] - grass[c]) * steep;
        }
    }
    return colours;
}

// What to show: three.html?show=terrain&file=out/land.r16
export function asked() {
    const query = new URLSearchParams(location.search);
    const show = query.get('show') ?? 'cave';
    return {show, file: query.get('file') ?? (show === 'cave' ? 'out/cave.glb' : 'out/land.r16')};
}

// What was drawn, for the test: numbers, bounds in metres, and a digest of the renderer's own copy
// of the heights.
export async function facts(vertices, triangles, min, max, heights) {
    const digest = heights && new Uint8Array(await crypto.subtle.digest('SHA-256', heights));
    return {vertices, triangles, min, max,
            heights: digest && Array.from(digest, (b) => b.toString(16).padStart(2, '0')).join('')};
}

// The pages of examples/web show what karst wrote, in a browser: run.mjs KARST JUDGES FOLDER
// JUDGES is the folder in which scripts/setup-judges put node_modules; "": they are in examples/web.
// FOLDER is for the samples and the pictures. Exit status 77 where Chromium or a module is missing.
import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {dirname, extname, join, normalize} from 'node:path';
import {fileURLToPath} from 'node:url';
import {Browser} from './browser.mjs';
import {pictureFaults} from './picture.mjs';

const [karst, judges, folder] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const pages = join(here, '../../examples/web');
const modules = join(judges || pages, 'node_modules');
const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const locked = JSON.parse(readFileSync(join(pages, 'package.json'))).dependencies;
const missing = Object.keys(locked).filter((name) => !existsSync(join(modules, name)));
if (!chromium || missing.length > 0) {
    console.log(`skipped: ${chromium ? `${missing.join(', ')} not in ${modules}` : 'there is no Chromium'}`);
    process.exit(77);
}

// What karst says of its files: the report, and for heights a second format of another writer.
function make() {
    rmSync(folder, {recursive: true, force: true});
    mkdirSync(folder, {recursive: true});
    const run = (...args) => JSON.parse(execFileSync(karst, [...args, '--threads', '1', '--quiet', '--json'],
                                                     {cwd: folder, encoding: 'utf8'}));
    const part = run('cave', '--seed', '12', '--size', '96x96x48', '--cell', '1', '--set', 'entrances=2', '-o', 'cave.glb')
        .layers.find(({name}) => name === 'shell').parts[0];
    const glb = readFileSync(join(folder, 'cave.glb'));
    const gltf = JSON.parse(glb.toString('utf8', 20, 20 + glb.readUInt32LE(12)));
    const {min, max} = gltf.accessors[gltf.meshes[0].primitives[0].attributes.POSITION];
    const at = (corner) => corner.map((value, axis) => value + part.pivot[axis]);

    const land = (file, profile, width, depth) => {
        const ground = ['heightmap', '--preset', 'alps', '--seed', '11', '--size', `${width}x${depth}`, '--cell', '32'];
        run(...ground, '--profile', profile, '-o', file);
        const layer = run(...ground, '-o', `height=${file}.npy`).layers.find(({name}) => name === 'height');
        const npy = readFileSync(join(folder, `${file}.npy`));
        const cells = npy.subarray(10 + npy.readUInt16LE(8));
        const metres = Float32Array.from({length: width * depth},
                                         (_, i) => cells.readUInt16LE(i * 2) * layer.scale + layer.offset);
        const [x, z] = [(width - 1) * 16, (depth - 1) * 16];
        return {file, vertices: width * depth, triangles: (width - 1) * (depth - 1) * 2,
                heights: createHash('sha256').update(metres).digest('hex'),
                min: [-x, Math.min(...metres), -z], max: [x, Math.max(...metres), z]};
    };
    const cave = {file: 'cave.glb', vertices: part.vertices, triangles: part.triangles, min: at(min), max: at(max)};
    return {
        three: {cave, terrain: land('land.r16', 'generic', 257, 193)},
        babylon: {cave, terrain: land('land.raw', 'unity', 257, 257)}, // its rows are from the south
    };
}

const types = {'.html': 'text/html', '.mjs': 'text/javascript', '.js': 'text/javascript',
               '.json': 'application/json', '.glb': 'model/gltf-binary'};
const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://host').pathname));
    const [, first, ...rest] = path.split('/');
    const file = first === 'node_modules' ? join(modules, ...rest)
        : first === 'out' ? join(folder, ...rest) : join(pages, path);
    try {
        const bytes = readFileSync(file);
        response.writeHead(200, {'Content-Type': types[extname(file)] ?? 'application/octet-stream'});
        response.end(bytes);
    } catch {
        response.writeHead(404);
        response.end();
    }
});

// Where what was drawn differs from what karst said.
function compare(drawn, said) {
    const faults = [];
    for (const name of ['vertices', 'triangles', 'heights']) {
        if (said[name] !== undefined && drawn[name] !== said[name]) {
            faults.push(`${name}: ${drawn[name]} instead of ${said[name]}`);
        }
    }
    for (const name of ['min', 'max']) {
        if (!said[name].every((value, axis) => Math.abs(drawn[name][axis] - value) < 1e-4)) {
            faults.push(`${name}: ${drawn[name]} instead of ${said[name]}`);
        }
    }
    return faults;
}

const expected = make();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const browser = new Browser(chromium, join(folder, 'profile'), 640, 360);
let failed = false;
try {
    for (const [page, shows] of Object.entries(expected)) {
        for (const [show, said] of Object.entries(shows)) {
            const name = `${page}_${show}`;
            const url = `http://127.0.0.1:${server.address().port}/${page}.html?show=${show}&file=out/${said.file}`;
            const {facts, errors, png} = await browser.open(url, 30);
            writeFileSync(join(folder, `${name}.png`), png);
            const faults = [...errors, ...(facts ? compare(facts, said) : []),
                            ...pictureFaults(png, join(here, 'references', `${name}.pgm`))];
            faults.forEach((fault) => console.log(`${name}: ${fault}`));
            console.log(`${name}: ${faults.length > 0 ? 'not as expected' : `${said.triangles} triangles, as karst says`}`);
            failed ||= faults.length > 0;
        }
    }
} finally {
    await browser.close();
    server.close();
    rmSync(join(folder, 'profile'), {recursive: true, force: true});
}
process.exit(failed ? 1 : 0);

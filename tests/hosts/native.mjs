// The viewer of examples/native makes the cave that the program makes, and draws it:
//     native.mjs KARST VIEWER FOLDER      Exit status 77 where there is no xvfb-run.
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdirSync, readFileSync, rmSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {pictureFaults} from '../web/picture.mjs';

const [karst, viewer, folder] = process.argv.slice(2);
const seed = '12';
if (spawnSync('xvfb-run', ['--help']).error) {
    console.log('skipped: there is no xvfb-run');
    process.exit(77);
}
rmSync(folder, {recursive: true, force: true});
mkdirSync(folder, {recursive: true});
const report = JSON.parse(execFileSync(karst, [
    'cave', '--seed', seed, '--size', '96x96x48', '--cell', '0.5', '--set', 'passage_width=5',
    '--set', 'roughness=2', '--threads', '1', '--quiet', '--json', '-o', 'cave.glb',
], {cwd: folder, encoding: 'utf8'}));
const part = report.layers.find(({name}) => name === 'shell').parts[0];
const expected = `${part.vertices} vertices, ${part.triangles} triangles, digest ${part.digest}`;

const picture = join(folder, 'cave.png');
const said = execFileSync('xvfb-run', ['--auto-servernum', '--server-args=-screen 0 800x600x24', viewer, seed, picture], {
    encoding: 'utf8', env: {...process.env, LIBGL_ALWAYS_SOFTWARE: '1'}});
const faults = said.split('\n').includes(expected) ? [] : [`'${expected}' is not in:\n${said}`];
// It stands inside: there is rock everywhere.
const here = dirname(fileURLToPath(import.meta.url));
faults.push(...pictureFaults(readFileSync(picture), join(here, 'cave_viewer.pgm'), {background: 0, least: 0.95, most: 1}));
faults.forEach((fault) => console.log(fault));
if (faults.length === 0) {
    console.log(expected);
}
process.exit(faults.length > 0 ? 1 : 0);

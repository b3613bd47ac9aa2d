// A cave or a heightmap of karst in Babylon.js, in glTF's axes: metres, y upwards, x east, z south.
import {ArcRotateCamera} from '@babylonjs/core/Cameras/arcRotateCamera.js';
import {Engine} from '@babylonjs/core/Engines/engine.js';
import {DirectionalLight} from '@babylonjs/core/Lights/directionalLight.js';
import {HemisphericLight} from '@babylonjs/core/Lights/hemisphericLight.js';
import {ImportMeshAsync} from '@babylonjs/core/Loading/sceneLoader.js';
import {Material} from '@babylonjs/core/Materials/material.js';
import {StandardMaterial} from '@babylonjs/core/Materials/standardMaterial.js';
import {VertexBuffer} from '@babylonjs/core/Buffers/buffer.js';
import {Color3, Color4} from '@babylonjs/core/Maths/math.color.js';
import {Vector3} from '@babylonjs/core/Maths/math.vector.js';
import {Mesh} from '@babylonjs/core/Meshes/mesh.js';
import {VertexData} from '@babylonjs/core/Meshes/mesh.vertexData.js';
import {Scene} from '@babylonjs/core/scene.js';
import '@babylonjs/loaders/glTF/2.0/glTFLoader.js';
import {asked, facts, groundColours, loadHeights} from './heights.mjs';

function matt(scene, colour) {
    const material = new StandardMaterial('ground', scene);
    material.diffuseColor = colour;
    material.specularColor = Color3.Black();
    material.sideOrientation = Material.CounterClockWiseSideOrientation; // of fronts, as in glTF
    return material;
}

// A cave's faces look into its air: seen from outside, the near walls and the ceiling are culled.
async function cave(url, scene) {
    const {meshes} = await ImportMeshAsync(url, scene);
    const shapes = meshes.filter((mesh) => mesh.getTotalVertices() > 0);
    const rock = matt(scene, new Color3(0.72, 0.61, 0.49)); // karst writes no material
    shapes.forEach((mesh) => { mesh.material = rock; });
    return shapes;
}

async function terrain(url, scene) {
    const {width, depth, metres, cell} = await loadHeights(url);
    const data = new VertexData();
    data.positions = new Float32Array(metres.length * 3);
    metres.forEach((height, i) => data.positions.set(
        [(i % width - (width - 1) / 2) * cell, height,
         (Math.floor(i / width) - (depth - 1) / 2) * cell], i * 3));
    data.indices = new Uint32Array((width - 1) * (depth - 1) * 6);
    for (let row = 0, at = 0; row < depth - 1; ++row) {
        for (let x = 0; x < width - 1; ++x, at += 6) {
            const nw = row * width + x;
            const sw = nw + width;
            data.indices.set([nw, sw, nw + 1, sw, sw + 1, nw + 1], at);
        }
    }
    data.normals = new Float32Array(metres.length * 3);
    VertexData.ComputeNormals(data.positions, data.indices, data.normals, {useRightHandedSystem: true});
    const colours = groundColours(data.normals).map((linear) => linear ** (1 / 2.2));
    data.colors = new Float32Array(metres.length * 4).fill(1);
    metres.forEach((_, i) => data.colors.set(colours.subarray(i * 3, i * 3 + 3), i * 4));
    const mesh = new Mesh('terrain', scene);
    data.applyToMesh(mesh);
    mesh.material = matt(scene, Color3.White());
    return [mesh];
}

async function main() {
    const {show, file} = asked();
    const canvas = document.querySelector('canvas');
    const engine = new Engine(canvas, true);
    const scene = new Scene(engine);
    scene.useRightHandedSystem = true;
    scene.clearColor = show === 'cave' ? new Color4(0.06, 0.07, 0.09, 1) : new Color4(0.66, 0.77, 0.86, 1);
    const shapes = show === 'cave' ? await cave(file, scene) : await terrain(file, scene);

    const {min, max} = scene.getWorldExtends((mesh) => shapes.includes(mesh));
    const size = max.subtract(min).length();
    new DirectionalLight('sun', new Vector3(1, -0.8, 0.4), scene).intensity = 0.8;
    const sky = new HemisphericLight('sky', Vector3.Up(), scene);
    sky.intensity = 0.35;
    sky.groundColor = new Color3(0.25, 0.2, 0.16);
    const camera = new ArcRotateCamera('camera', 0, 0, 1, Vector3.Center(min, max), scene);
    camera.setPosition(camera.target.add(new Vector3(0.3, 0.8, 0.7).scale(size * 1.1)));
    camera.fov = 40 * Math.PI / 180;
    camera.minZ = size / 1000;
    camera.maxZ = size * 10;
    camera.attachControl(canvas, true);

    await scene.whenReadyAsync();
    engine.runRenderLoop(() => scene.render());
    addEventListener('resize', () => engine.resize());
    await new Promise((resolve) => scene.onAfterRenderObservable.addOnce(resolve));

    const sum = (count) => shapes.reduce((total, mesh) => total + count(mesh), 0);
    let heights = null;
    if (show === 'terrain') {
        const positions = shapes[0].getVerticesData(VertexBuffer.PositionKind);
        heights = Float32Array.from({length: positions.length / 3}, (_, i) => positions[i * 3 + 1]);
    }
    window.karstReady = await facts(sum((mesh) => mesh.getTotalVertices()),
                                    sum((mesh) => mesh.getTotalIndices() / 3),
                                    min.asArray(), max.asArray(), heights);
}

await main();

// A cave or a heightmap of karst in three.js. Both use metres, y upwards and x east, z south.
import * as THREE from 'three';
import {OrbitControls} from 'three/addons/controls/OrbitControls.js';
import {GLTFLoader} from 'three/addons/loaders/GLTFLoader.js';
import {asked, facts, groundColours, loadHeights} from './heights.mjs';

// A cave's faces look into its air: seen from outside, the near walls and the ceiling are culled.
async function cave(url) {
    const gltf = await new GLTFLoader().loadAsync(url);
    // karst writes no material.
    const rock = new THREE.MeshStandardMaterial({color: 0xb89c7d, roughness: 1});
    gltf.scene.traverse((node) => {
        if (node.isMesh) {
            node.material = rock;
        }
    });
    return gltf.scene;
}

async function terrain(url) {
    const {width, depth, metres, cell} = await loadHeights(url);
    // Its rows run from north to south after the turn, as karst's.
    const plane = new THREE.PlaneGeometry((width - 1) * cell, (depth - 1) * cell, width - 1, depth - 1);
    plane.rotateX(-Math.PI / 2);
    const position = plane.getAttribute('position');
    metres.forEach((height, i) => position.setY(i, height));
    plane.computeVertexNormals();
    const colours = groundColours(plane.getAttribute('normal').array);
    plane.setAttribute('color', new THREE.BufferAttribute(colours, 3));
    return new THREE.Mesh(plane, new THREE.MeshStandardMaterial({vertexColors: true, roughness: 1}));
}

async function main() {
    const {show, file} = asked();
    const canvas = document.querySelector('canvas');
    const renderer = new THREE.WebGLRenderer({canvas, antialias: true});
    const scene = new THREE.Scene();
    scene.background = new THREE.Color(show === 'cave' ? 0x101216 : 0xa9c4dc);
    const object = show === 'cave' ? await cave(file) : await terrain(file);
    scene.add(object);

    const box = new THREE.Box3().setFromObject(object, true);
    const middle = box.getCenter(new THREE.Vector3());
    const size = box.getSize(new THREE.Vector3()).length();
    const sun = new THREE.DirectionalLight(0xfff2dd, 2.6);
    sun.position.set(-1, 0.8, -0.4).multiplyScalar(size).add(middle);
    sun.target.position.copy(middle);
    scene.add(sun, sun.target, new THREE.HemisphereLight(0xbfd4ff, 0x40352a, 0.9));
    const camera = new THREE.PerspectiveCamera(40, 1, size / 1000, size * 10);
    camera.position.set(0.3, 0.8, 0.7).multiplyScalar(size * 1.1).add(middle);
    const controls = new OrbitControls(camera, canvas);
    controls.target.copy(middle);
    controls.update();

    const draw = () => {
        renderer.setSize(innerWidth, innerHeight);
        camera.aspect = innerWidth / innerHeight;
        camera.updateProjectionMatrix();
        renderer.render(scene, camera);
    };
    controls.addEventListener('change', draw);
    addEventListener('resize', draw);
    draw();

    let vertices = 0;
    let triangles = 0;
    let heights = null;
    object.traverse((node) => {
        if (node.isMesh) {
            const position = node.geometry.getAttribute('position');
            vertices += position.count;
            triangles += node.geometry.index.count / 3;
            if (show === 'terrain') {
                heights = Float32Array.from({length: position.count}, (_, i) => position.getY(i));
            }
        }
    });
    window.karstReady = await facts(vertices, triangles, box.min.toArray(), box.max.toArray(), heights);
}

await main();

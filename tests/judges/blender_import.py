"""Imports the meshes of import_samples.sh into Blender with its defaults and compares what stands
there with their manifests, level data and heights. Runs inside Blender, in their folder."""
import json

import bmesh
import bpy
import numpy as np
from mathutils import Vector

# The glTF importer of Blender 3.4 still uses this name, which NumPy 1.24 removed.
np.bool = bool

IMPORTERS = {
    'glb': bpy.ops.import_scene.gltf,
    'obj': bpy.ops.wm.obj_import,
    'ply': bpy.ops.import_mesh.ply,
    'stl': bpy.ops.import_mesh.stl,
}


def load(name):
    with open(name, encoding='utf-8') as file:
        return json.load(file)


def array(collection, attribute, width):
    values = np.empty(len(collection) * width, np.float32)
    collection.foreach_get(attribute, values)
    return values.reshape(-1, width)


def imported(name):
    """The objects of a file alone in a scene, in the world's axes."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert IMPORTERS[name[-3:]](filepath=name) == {'FINISHED'}, 'not imported'
    meshes = [o for o in bpy.data.objects if o.type == 'MESH']
    empties = [o for o in bpy.data.objects if o.type == 'EMPTY']
    assert len(meshes) == 1, f'{len(meshes)} meshes'
    mesh = meshes[0].data
    mesh.transform(meshes[0].matrix_world)
    return mesh, empties


def check_counts(mesh, name, vertices):
    part = load(name + '.karst.json')['layer']['parts'][0]
    vertices = vertices or part['vertices']
    assert len(mesh.vertices) == vertices, f'{len(mesh.vertices)} vertices, not {vertices}'
    assert len(mesh.polygons) == part['triangles'], f'{len(mesh.polygons)} faces'
    assert {p.loop_total for p in mesh.polygons} == {3}, 'not only triangles'


def check_normals(mesh, from_file):
    """Of the corners: unit vectors to the side of the triangle's front."""
    assert mesh.has_custom_normals == from_file, 'no normals' if from_file else 'normals'
    mesh.calc_normals_split()
    normals = array(mesh.loops, 'normal', 3)
    assert np.isfinite(normals).all(), 'normals that are not finite'
    assert np.allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-3), 'normals of another length'
    fronts = np.repeat(array(mesh.polygons, 'normal', 3), 3, axis=0)
    agreement = np.einsum('ij,ij->i', normals, fronts).mean()
    assert agreement > 0.8, f'normals turned from the faces: {agreement}'


def check_uvs(mesh, points, same):
    """1 UV = 1 m along the projection: no edge is longer than in space, few are much shorter.
    Returns the mean of each triangle; `same` are those from another file, or None. (The import of
    PLY turns a triangle whose last vertex is the first of all.)"""
    assert len(mesh.uv_layers) == 1, f'{len(mesh.uv_layers)} UV layers'
    uvs = array(mesh.uv_layers[0].data, 'uv', 2).reshape(-1, 3, 2)
    assert np.isfinite(uvs).all(), 'UVs that are not finite'
    corners = points[np.array([p.vertices for p in mesh.polygons])]
    lengths = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)
    shares = np.linalg.norm(uvs - np.roll(uvs, 1, axis=1), axis=2) / lengths
    assert shares.max() < 1.01 and np.median(shares) > 0.7, 'UVs of another scale'
    means = uvs.mean(axis=1)
    assert same is None or np.allclose(means, same, atol=1e-3), 'UVs differ from another file'
    return means


def check_box(points, low, high):
    box = np.array([points.min(axis=0), points.max(axis=0)])
    assert np.allclose(box, [low, high], atol=1e-3), f'from {box[0]} to {box[1]}, not {low}, {high}'


def check_solid(mesh, points):
    # East, north, upwards: the south is below 0.
    check_box(points, [0, -24, 0], [32, 0, 16])
    solid = bmesh.new()
    solid.from_mesh(mesh)
    bmesh.ops.remove_doubles(solid, verts=solid.verts, dist=0)
    assert all(edge.is_manifold for edge in solid.edges), 'not closed'
    volume = solid.calc_volume(signed=True)
    assert 0.9 * 32 * 24 * 16 < volume < 32 * 24 * 16, f'{volume} m^3'


def check_shell(points):
    # It ends in the faces where the entrances are.
    entrances = load('cave.graph.json')['entrances']
    box = [points.min(axis=0), points.max(axis=0)]
    for entrance in entrances:
        axis = 0 if entrance['outwards'][0] else 1
        side = entrance['outwards'][axis] * (1 if axis == 0 else -1) > 0
        face = entrance['position'][axis] * (1 if axis == 0 else -1)
        assert np.isclose(box[side][axis], face, atol=1e-3), f'{box} has no mouth at {entrance}'
    assert (box[0] > [-1e-3, -24.001, 0]).all() and (box[1] < [32.001, 1e-3, 16]).all(), box


def check_sockets(empties):
    entrances = load('cave.graph.json')['entrances']
    assert len(entrances) == 2 and len(empties) == 2, f'{len(empties)} empties'
    for number, entrance in enumerate(entrances):
        socket = bpy.data.objects[f'SOCKET_entrance_{number}']
        x, y, z = entrance['position']
        assert np.allclose(socket.matrix_world.translation, [x, -y, z], atol=2e-3), socket.name
        # glTF's +Z is Blender's -Y.
        forward = socket.matrix_world.to_3x3() @ Vector((0, -1, 0))
        u, v = entrance['outwards']
        assert np.allclose(forward, [-u, v, 0], atol=1e-3), f'{socket.name} looks to {forward}'


def check_ground(points):
    heights = np.load('ground.npy').astype(np.float64)
    manifest = load('ground.npy.karst.json')
    cell = manifest['cell']
    heights = heights * manifest['layer']['scale'] + manifest['layer']['offset']
    check_box(points, [0, -63 * cell, heights.min()], [95 * cell, 0, heights.max()])
    columns = np.rint(points[:, 0] / cell).astype(int)
    rows = np.rint(-points[:, 1] / cell).astype(int)
    assert np.allclose(points[:, 2], heights[rows, columns], atol=1e-3), 'other heights'


def check(kind, extension, before):
    """`before` holds what was found in other files of the same mesh."""
    mesh, empties = imported(f'{kind}.{extension}')
    points = array(mesh.vertices, 'co', 3)
    # STL has corners only, of which Blender makes a vertex at each place.
    check_counts(mesh, f'{kind}.{extension}', before['places'] if extension == 'stl' else None)
    before['places'] = len(np.unique(points, axis=0))
    check_normals(mesh, extension in ('glb', 'obj'))  # Blender leaves out those of PLY
    if kind == 'solid' or extension == 'stl':
        assert not mesh.uv_layers, 'UVs'
    else:
        before['uvs'] = check_uvs(mesh, points, before.get('uvs'))
    if kind == 'ground':
        check_ground(points)
    elif kind == 'solid':
        check_solid(mesh, points)
    else:
        check_shell(points)
    if kind != 'ground' and extension == 'glb':
        check_sockets(empties)
    else:
        assert not empties, f'{len(empties)} empties'
    print(f'checked {kind}.{extension}: {len(mesh.vertices)} vertices, {len(mesh.polygons)} faces')


all_as_expected = True
for kind in ('shell', 'solid', 'ground'):
    found = {}
    for extension in IMPORTERS:
        try:
            check(kind, extension, found)
        except (AssertionError, RuntimeError, KeyError) as error:
            print(f'{kind}.{extension}: {error}')
            all_as_expected = False
if all_as_expected:
    print('all files as expected')

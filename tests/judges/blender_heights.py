"""Displaces a grid by the heights of engine_samples.sh as their .import.json says and compares the
vertices with the exact heights. Runs inside Blender, in their folder."""
import json
import os

import bpy
import numpy as np


def load(name):
    with open(name, encoding='utf-8') as file:
        return json.load(file)


def displaced(name, notes):
    """The vertices of the displaced grid in the world."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=notes['subdivisions'][0],
                                    y_subdivisions=notes['subdivisions'][1], size=1, calc_uvs=True)
    grid = bpy.context.object
    grid.scale = (*notes['size_m'], 1)
    bpy.ops.object.transform_apply(scale=True)
    for corner in grid.data.uv_layers[0].data:
        corner.uv = [value * scale + offset for value, scale, offset in
                     zip(corner.uv, notes['uv_scale'], notes['uv_offset'])]
    texture = bpy.data.textures.new('heights', 'IMAGE')
    texture.image = bpy.data.images.load(os.path.abspath(name))
    texture.image.colorspace_settings.name = notes['colour_space']
    texture.extension = 'EXTEND'
    texture.use_interpolation = False
    texture.use_clamp = False
    modifier = grid.modifiers.new('heights', 'DISPLACE')
    modifier.texture = texture
    modifier.texture_coords = 'UV'
    modifier.direction = 'Z'
    modifier.strength = notes['strength']
    modifier.mid_level = notes['midlevel']
    grid.location[2] = notes['location_z']
    mesh = grid.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    vertices = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.vertices.foreach_get('co', vertices)
    return vertices.reshape(-1, 3) + [0, 0, notes['location_z']]


layer = load('Land.npy.karst.json')['layer']
land = np.load('Land.npy').astype(np.float64) * layer['scale'] + layer['offset']
height, width = land.shape
for name in ('Blender.png', 'Blender.exr'):
    sidecar = load(name + '.import.json')
    notes = sidecar['import']
    vertices = displaced(name, notes)
    assert len(vertices) == width * height, f'{len(vertices)} vertices'
    x = np.rint((vertices[:, 0] / notes['size_m'][0] + 0.5) * (width - 1)).astype(int)
    y = np.rint((0.5 - vertices[:, 1] / notes['size_m'][1]) * (height - 1)).astype(int)
    worst = np.abs(vertices[:, 2] - land[y, x]).max()
    # Half a step, and what 32-bit floats leave of some hundred metres.
    allowed = (sidecar['scale_m'] / 2 if sidecar['bits'] == 16 else 0) + 1e-4
    assert worst <= allowed, f'{name}: {worst} m off, allowed is {allowed} m'
    print(f'checked {name}: at most {worst:.6f} m off')
print('all files as expected')

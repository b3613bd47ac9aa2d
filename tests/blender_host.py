"""The add-on as a user of Blender has it: enables examples/blender/karst_terrain.py, runs its
operators, checks the meshes and renders a picture. Runs inside Blender, after `--`: the picture's
path. KARST_LIBRARY names the library."""
import pathlib
import sys

import addon_utils
import bpy
import numpy as np
from mathutils import Vector

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / 'examples' / 'blender'), str(ROOT / 'examples' / 'python')]
import karst

bpy.ops.wm.read_factory_settings(use_empty=True)


def raised(error):
    raise error


assert addon_utils.enable('karst_terrain', handle_error=raised), 'not enabled'


def vertices(made):
    places = np.empty(len(made.data.vertices) * 3, np.float32)
    made.data.vertices.foreach_get('co', places)
    return places.reshape(-1, 3)


def terrain(**properties):
    assert bpy.ops.mesh.karst_heightmap(**properties) == {'FINISHED'}
    return bpy.context.object


def check_metadata():
    properties = bpy.ops.mesh.karst_heightmap.get_rna_type().properties
    first = karst.Request('heightmap')
    for param in karst.generator('heightmap').params:
        if param.name == 'mesh':  # chosen as a surface
            assert 'mesh' not in properties
            continue
        its = properties[param.name]
        assert its.type == 'FLOAT' and its.description.startswith(param.help.rstrip('.'))
        assert param.unit in its.description
        for mine, theirs in ((its.hard_min, param.minimum), (its.hard_max, param.maximum),
                             (its.default, first.get(param.name))):
            assert mine == np.float32(theirs), f'{param.name}: {mine}, not {theirs}'
    cave = bpy.ops.mesh.karst_cave3d.get_rna_type().properties
    assert cave['entrances'].type == 'INT' and cave['entrances'].hard_max == 64
    assert [item.identifier for item in cave['shape_use'].enum_items] == ['room', 'rock']
    presets = [preset.name for preset in karst.generator('cave3d').presets]
    assert [item.identifier for item in cave['preset'].enum_items] == presets
    print('checked the properties')


def check_panel():
    """What a person sees: the values of a chosen preset, and the menu."""
    shown = bpy.context.window_manager.operator_properties_last('mesh.karst_heightmap')
    shown.preset = 'canyon'
    for name, value in karst.Request('heightmap', preset='canyon').params.items():
        if name != 'mesh':
            assert getattr(shown, name) == np.float32(value), name
    for name in list(shown.keys()):
        shown.property_unset(name)

    class Menu:
        drawn = []

        @property
        def layout(self):
            return self

        def operator(self, name, text):
            getattr(bpy.ops.mesh, name.split('.')[1]).get_rna_type()
            self.drawn.append(text)

    bpy.types.VIEW3D_MT_karst.draw(Menu(), None)
    assert {'terrain', 'cave'} <= set(Menu.drawn), Menu.drawn
    assert len(set(Menu.drawn)) == len(Menu.drawn), Menu.drawn
    print('checked what is shown', Menu.drawn)


def check_terrain():
    given = {'seed': '7', 'width': 129, 'height': 97, 'cell': 16, 'erosion': 0.8, 'relief': 700.1,
             'preset': 'alps'}  # which must not take back what was said before it
    made = terrain(**given)
    expected = karst.Request('heightmap', preset='alps', seed=7, size=(129, 97), cell=16,
                             erosion=0.8, relief=700.1).run()
    heights = expected.layers['height']
    assert made['karst_digest'] == f'{heights.digest:#018x}'
    assert dict(made['karst']['params'])['relief'] == 700.1 and made['karst']['seed'] == '7'
    assert len(made.data.vertices) == 129 * 97 and len(made.data.polygons) == 128 * 96
    places = vertices(made)
    assert np.array_equal(places[:, 2], heights.amounts().ravel())
    assert tuple(places[0, :2]) == (-64 * 16, 48 * 16), 'the first sample is the north-west'
    low, high = places.min(0), places.max(0)
    assert np.allclose(low[:2], (-1024, -768)) and np.allclose(high[:2], (1024, 768))
    assert 200 < high[2] - low[2] < 1500
    assert all(face.normal.z > 0 for face in made.data.polygons)
    assert not made.data.validate()
    assert 'splat' in made.data.color_attributes and made.data.materials[0]

    again = terrain(**given)
    assert again is not made and np.array_equal(vertices(again), places)
    other = terrain(**{**given, 'seed': '8'})
    assert not np.array_equal(vertices(other), places)
    for preset in karst.generator('heightmap').presets:
        land = terrain(preset=preset.name, seed='mesa', width=65, height=49, colours=False)
        assert len(land.data.vertices) == 65 * 49 and not land.data.materials
        request = karst.Request('heightmap', preset=preset.name, seed='mesa', size=(65, 49))
        assert land['karst_digest'] == f"{request.run().layers['height'].digest:#018x}"
        assert dict(land['karst']['params']) == request.params
    print('checked', made.name, low, high)


def check_meshes():
    made = terrain(seed='7', width=65, height=65, surface='mesh', mesh_error=4, base=50)
    assert len(made.data.vertices) < 65 * 65 and not made.data.validate()
    assert bpy.ops.mesh.karst_cave3d(seed='3', width=64, height=48, depth=24,
                                     entrances=2) == {'FINISHED'}
    cave = bpy.context.object
    request = karst.Request('cave3d', seed=3, size=(64, 48, 24), entrances=2)
    request.add_layer('shell')
    part = request.run().meshes['shell'].parts[0]
    assert cave['karst_digest'] == f'{part.digest:#018x}'
    assert len(cave.data.vertices) == part.vertex_count
    assert len(cave.data.polygons) == part.index_count // 3 and not cave.data.validate()
    places = vertices(cave) + np.array(cave.location)
    # 32 m to the east, 24 m to the south of the north-west corner, 12 m up.
    low, high = places.min(0), places.max(0)
    assert (low >= (0, -24, 0)).all() and (high <= (32, 0, 12)).all(), f'{low} {high}'
    assert np.array_equal(places[:, 1], -part.positions[:, 2])
    assert bpy.ops.mesh.karst_cave(seed='3', width=128, height=128) == {'FINISHED'}
    walls = bpy.context.object
    assert walls['karst']['surface'] == 'walls' and not walls.data.validate()
    assert walls.dimensions.z >= karst.Request('cave').get('wall_height')
    assert bpy.ops.mesh.karst_cave3d(seed='3', width=64, height=48, depth=24,
                                     surface='lods') == {'FINISHED'}
    levels = bpy.context.selected_objects
    sizes = sorted(len(level.data.polygons) for level in levels)
    assert len(sizes) > 1 and sizes[0] < sizes[-1], sizes
    print('checked', cave.name, low, high)


def check_refusals():
    before = len(bpy.data.objects)
    try:
        bpy.ops.mesh.karst_heightmap(width=64, height=64, cell=8, valley_spacing=20)
    except RuntimeError as error:
        assert 'valley_spacing' in str(error), error
    else:
        raise AssertionError('a spacing below 8 cells was taken')
    assert len(bpy.data.objects) == before
    print('checked what is refused')


def render(path):
    for made in list(bpy.data.objects):
        bpy.data.objects.remove(made)
    ground = terrain(preset='alps', seed='1', width=505, height=505, cell=8)
    low, high = vertices(ground).min(0), vertices(ground).max(0)
    scene = bpy.context.scene
    target = Vector((400, 500, low[2] + 0.45 * (high[2] - low[2])))
    camera = bpy.data.objects.new('camera', bpy.data.cameras.new('camera'))
    camera.data.lens = 32
    camera.data.clip_end = 100000
    camera.location = (-1500, -2100, high[2] + 450)
    camera.rotation_euler = (target - camera.location).to_track_quat('-Z', 'Y').to_euler()
    sun = bpy.data.objects.new('sun', bpy.data.lights.new('sun', 'SUN'))
    sun.data.energy, sun.data.angle = 7, 0.01
    sun.data.color = (1, 0.93, 0.82)
    sun.rotation_euler = (0.9, 0, -1.9)
    for placed in (camera, sun):
        scene.collection.objects.link(placed)
    scene.camera = camera
    scene.world = bpy.data.worlds.new('sky')
    scene.world.use_nodes = True
    sky = scene.world.node_tree.nodes['Background']
    sky.inputs['Color'].default_value = (0.45, 0.62, 0.9, 1)
    sky.inputs['Strength'].default_value = 0.6
    scene.view_settings.look = 'Medium High Contrast'
    scene.render.engine = 'CYCLES'
    scene.cycles.device = 'CPU'
    scene.cycles.samples = 16
    scene.cycles.use_denoising = False  # Debian's Blender has no denoiser
    scene.render.resolution_x, scene.render.resolution_y = 480, 270
    scene.render.filepath = path
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(path)
    pixels = np.array(image.pixels[:]).reshape(-1, 4)[:, :3]
    assert pixels.std() > 0.05, 'a picture of nothing'
    print('rendered', path)


check_metadata()
check_panel()
check_terrain()
check_meshes()
check_refusals()
render(sys.argv[sys.argv.index('--') + 1])
addon_utils.disable('karst_terrain', handle_error=raised)
assert not hasattr(bpy.types, 'MESH_OT_karst_heightmap')
print('all as expected')

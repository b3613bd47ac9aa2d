"""Draws karst's meshes where more light is needed than a viewer has. In Blender:

    blender --background --python render.py -- cut STL PNG Y
    blender --background --python render.py -- inside GLB PNG

cut: a closed mesh of rock, written with Y up in metres, cut open across the north-south axis at Y
metres from its northern face, seen to the north. inside: a cave from its first entrance, by the
light of a lamp at the eye.
"""
import math
import sys

import bmesh
import bpy
import numpy
from mathutils import Matrix, Vector

numpy.bool = bool  # that Blender's importer of glTF asks for, and newer NumPy no longer has

EYE = 1.6  # metres above the floor


def add_material(mesh, name, colour):
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*colour, 1)
    shader.inputs["Roughness"].default_value = 1
    mesh.materials.append(made)


def add_light(kind, energy):
    light = bpy.data.objects.new(kind, bpy.data.lights.new(kind, kind))
    light.data.energy = energy
    bpy.context.scene.collection.objects.link(light)
    return light


def add_camera(place, target, millimetres):
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.lens = millimetres
    camera.location = place
    camera.rotation_euler = (target - place).to_track_quat("-Z", "Y").to_euler()
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera


def cut(stl, at):
    bpy.ops.import_mesh.stl(filepath=stl)
    rock = bpy.context.object.data
    rock.transform(Matrix.Rotation(math.pi / 2, 4, "X"))  # Z is up now, Y north
    add_material(rock, "walls", (0.62, 0.52, 0.41))
    add_material(rock, "cut", (0.16, 0.14, 0.12))
    mesh = bmesh.new()
    mesh.from_mesh(rock)
    bmesh.ops.remove_doubles(mesh, verts=mesh.verts, dist=1e-4)
    for face in mesh.faces:
        face.smooth = True
    south = Vector((0, -1, 0))
    parts = mesh.verts[:] + mesh.edges[:] + mesh.faces[:]
    made = bmesh.ops.bisect_plane(mesh, geom=parts, plane_co=at * south, plane_no=south,
                                  clear_outer=True)
    edges = [part for part in made["geom_cut"] if isinstance(part, bmesh.types.BMEdge)]
    made = bmesh.ops.triangle_fill(mesh, use_beauty=True, edges=edges, normal=south)
    for part in made["geom"]:
        if isinstance(part, bmesh.types.BMFace):
            part.material_index = 1
    mesh.to_mesh(rock)
    mesh.free()

    places = [vertex.co for vertex in rock.vertices]
    low = Vector([min(place[axis] for place in places) for axis in range(3)])
    high = Vector([max(place[axis] for place in places) for axis in range(3)])
    width = high.x - low.x
    middle = Vector(((low.x + high.x) / 2, -at, (low.z + high.z) / 2))
    add_camera(middle + Vector((0.2, -1.6, 0.35)) * width, middle, 50)
    sun = add_light("SUN", 3.5)
    sun.data.angle = 0.1
    sun.rotation_euler = (math.radians(62), math.radians(-12), math.radians(18))
    return 0.7, "Standard"


def inside(glb):
    bpy.ops.import_scene.gltf(filepath=glb)
    for thing in bpy.context.scene.objects:
        if thing.type == "MESH":
            thing.data.materials.clear()
            add_material(thing.data, "walls", (0.62, 0.52, 0.41))
    socket = bpy.data.objects["SOCKET_entrance_0"]
    inwards = socket.matrix_world.to_quaternion() @ Vector((0, -1, 0))  # glTF's +Z
    eye = socket.matrix_world.translation + 1.5 * inwards + Vector((0, 0, EYE))
    add_camera(eye, eye + inwards, 20)
    lamp = add_light("POINT", 700)
    lamp.location = eye + Vector((0, 0, 0.3))
    lamp.data.shadow_soft_size = 0.3
    return 0.02, "Filmic"  # which keeps what is near the lamp


what, source, picture = sys.argv[sys.argv.index("--") + 1:][:3]
bpy.ops.wm.read_factory_settings(use_empty=True)
if what == "cut":
    sky, view = cut(source, float(sys.argv[-1]))
else:
    sky, view = inside(source)

scene = bpy.context.scene
scene.world = bpy.data.worlds.new("world")
scene.world.use_nodes = True
background = scene.world.node_tree.nodes["Background"]
background.inputs["Color"].default_value = (0.75, 0.8, 0.9, 1)
background.inputs["Strength"].default_value = sky
scene.render.engine = "CYCLES"
scene.cycles.device = "CPU"
scene.cycles.samples = 128
scene.cycles.max_bounces = 2
scene.cycles.sample_clamp_indirect = 0.5
scene.cycles.seed = 0
scene.cycles.use_denoising = False
scene.view_settings.view_transform = view
scene.render.resolution_x, scene.render.resolution_y = 512, 384
scene.render.resolution_percentage = 100
scene.render.filepath = picture
bpy.ops.render.render(write_still=True)

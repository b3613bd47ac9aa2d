"""Heights and a cave of karst in Unreal Engine 5, from the editor's Python console:

    py karst_import.py Valley.r16 [cave.glb]

Not run in Unreal: written from its documentation. The tests run what needs no editor.

    karst heightmap --size 505x505 --cell 2 --profile unreal --tiles 1x1 -o Valley.r16
    karst cave --size 96x96x48 -o cave.glb

Python cannot make a Landscape, only fill one. If the level has none, this prints the numbers for
Landscape mode > Manage > New; make it and run this again. After that each new ground needs this alone.
"""
import json
import os
import struct
import sys
import tempfile
import zlib

FOLDER = '/Game/Karst'


def read_heights(path):
    """The notes of karst and the heights, numbers of 16 bits from the north-western corner."""
    with open(path + '.import.json', encoding='utf-8') as file:
        notes = json.load(file)
    with open(path, 'rb') as file:
        cells = file.read()
    width, depth = notes['samples']
    if notes['profile'] != 'unreal' or len(notes['files']) != 1:
        raise ValueError(f'{path} is not one file of --profile unreal')
    if len(cells) != width * depth * 2:
        raise ValueError(f'{path} is no .r16 or .raw of {width} x {depth} samples')
    return notes, cells


def red_green_png(width, depth, cells):
    """The numbers as a PNG of 8 bits: red is the high byte, green the low one."""
    pixels = bytearray(width * depth * 4)
    pixels[0::4] = cells[1::2]
    pixels[1::4] = cells[0::2]
    pixels[3::4] = b'\xff' * (width * depth)
    row = width * 4
    rows = b''.join(b'\0' + pixels[y * row:(y + 1) * row] for y in range(depth))

    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))

    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, depth, 8, 6, 0, 0, 0))
            + chunk(b'IDAT', zlib.compress(rows, 1)) + chunk(b'IEND', b''))


def import_file(unreal, path, name=''):
    task = unreal.AssetImportTask()
    task.set_editor_property('filename', path)
    task.set_editor_property('destination_path', FOLDER)
    task.set_editor_property('destination_name', name)
    task.set_editor_property('automated', True)
    task.set_editor_property('replace_existing', True)
    task.set_editor_property('save', True)
    unreal.AssetToolsHelpers.get_asset_tools().import_asset_tasks([task])
    return [unreal.load_asset(found) for found in task.get_editor_property('imported_object_paths')]


def height_target(unreal, world, width, depth, cells):
    """A render target whose red and green are the bytes of the heights."""
    picture = os.path.join(tempfile.mkdtemp(), 'karst_heights.png')
    with open(picture, 'wb') as file:
        file.write(red_green_png(width, depth, cells))
    texture = import_file(unreal, picture, 'karst_heights')[0]
    texture.set_editor_property('srgb', False)
    texture.set_editor_property('compression_settings',
                                unreal.TextureCompressionSettings.TC_VECTOR_DISPLACEMENTMAP)
    texture.set_editor_property('mip_gen_settings', unreal.TextureMipGenSettings.TMGS_NO_MIPMAPS)
    texture.set_editor_property('filter', unreal.TextureFilter.TF_NEAREST)

    library = unreal.RenderingLibrary
    target = library.create_render_target2d(world, width, depth, unreal.TextureRenderTargetFormat.RTF_RGBA8)
    canvas, size, context = library.begin_draw_canvas_to_render_target(world, target)
    canvas.draw_texture(texture, unreal.Vector2D(0, 0), size, unreal.Vector2D(0, 0), unreal.Vector2D(1, 1),
                        unreal.LinearColor(1, 1, 1, 1), unreal.BlendMode.BLEND_OPAQUE)
    library.end_draw_canvas_to_render_target(world, context)
    # Colour management, compression or a texture that is still being built would spoil the bytes.
    for i in range(0, width * depth, max(1, width * depth // 97)):
        seen = library.read_render_target_pixel(world, target, i % width, i // width)
        if (seen.r, seen.g) != (cells[i * 2 + 1], cells[i * 2]):
            raise RuntimeError('the texture has not the bytes of the heights (yet): run this once more')
    return target


def import_heights(unreal, path):
    notes, cells = read_heights(path)
    width, depth = notes['samples']
    numbers = notes['import']
    world = unreal.get_editor_subsystem(unreal.UnrealEditorSubsystem).get_editor_world()
    landscapes = unreal.GameplayStatics.get_all_actors_of_class(world, unreal.Landscape)
    if not landscapes:
        unreal.log_warning('There is no Landscape. ' + ' '.join(notes['steps']))
        return
    landscape = landscapes[0]
    landscape.set_actor_scale3d(unreal.Vector(*numbers['scale']))
    # The north-western corner to the origin; metres of height stay metres above Z = 0.
    landscape.set_actor_location(unreal.Vector(0, 0, numbers['location_cm'][2]), False, False)
    _, half = landscape.get_actor_bounds(False)
    vertices = [round(2 * side / scale) + 1 for side, scale in zip((half.x, half.y), numbers['scale'])]
    if vertices != [width, depth]:
        raise RuntimeError(f'the Landscape has {vertices[0]} x {vertices[1]} vertices, the heights {width} x {depth}')
    target = height_target(unreal, world, width, depth, cells)
    if not landscape.landscape_import_heightmap_from_render_target(target, True):
        raise RuntimeError('Unreal did not take the heights')
    unreal.log(f"{path}: {notes['lowest_m']} to {notes['highest_m']} m")


def import_cave(unreal, path):
    """The meshes of a GLB, where the ground has them: Unreal turns metres and axes itself."""
    actors = unreal.get_editor_subsystem(unreal.EditorActorSubsystem)
    for asset in import_file(unreal, path):
        if isinstance(asset, unreal.StaticMesh):
            # The collision is the triangles themselves: a cave is hollow.
            asset.get_editor_property('body_setup').set_editor_property(
                'collision_trace_flag', unreal.CollisionTraceFlag.CTF_USE_COMPLEX_AS_SIMPLE)
            actors.spawn_actor_from_object(asset, unreal.Vector(0, 0, 0))


def main(paths):
    import unreal
    for path in map(os.path.abspath, paths):
        if path.endswith('.glb'):
            import_cave(unreal, path)
        else:
            import_heights(unreal, path)


if __name__ == '__main__':
    main(sys.argv[1:])

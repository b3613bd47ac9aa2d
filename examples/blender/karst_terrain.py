"""karst in Blender: Add > Mesh > karst makes grounds and caves from a seed.

Every generator of karst that makes heights or meshes becomes an operator, mesh.karst_heightmap and
so on; its properties are the generator's parameters. What made an object stands in its custom
property "karst".

Into Blender: put the folder `karst` of examples/python, with the library karst_c inside, into
scripts/modules, and this file into scripts/addons. KARST_LIBRARY may name a library elsewhere."""
import pathlib
import sys

import bpy
import numpy

try:
    import karst
except ModuleNotFoundError:  # in karst's own sources
    sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / 'python'))
    import karst

bl_info = {
    'name': 'karst',
    'description': 'Grounds and caves from a seed',
    'version': (0, 1, 0),
    'blender': (3, 4, 0),
    'location': 'Add > Mesh > karst',
    'category': 'Add Mesh',
}

LABELS = {'heightmap': 'karst: terrain', 'cave3d': 'karst: cave', 'cave': 'karst: cave walls'}
# Ground by its weights: rock, grass, scree, sediment.
COLOURS = ((0.15, 0.13, 0.12), (0.04, 0.065, 0.017), (0.21, 0.18, 0.15), (0.17, 0.14, 0.08))
MOST_CELLS = 16384  # a side, for the sliders


# --- Meshes -----------------------------------------------------------------------------------

def mesh_of(name, positions, corners, sides, uvs=None):
    """Polygons of `sides` corners each. `uvs` are of the vertices."""
    mesh = bpy.data.meshes.new(name)
    corners = numpy.ascontiguousarray(corners, numpy.int32).ravel()
    count = len(corners) // sides
    mesh.vertices.add(len(positions))
    mesh.vertices.foreach_set('co', numpy.ascontiguousarray(positions, numpy.float32).ravel())
    mesh.loops.add(len(corners))
    mesh.loops.foreach_set('vertex_index', corners)
    mesh.polygons.add(count)
    mesh.polygons.foreach_set('loop_start', numpy.arange(count, dtype=numpy.int32) * sides)
    if bpy.app.version < (3, 6):  # later ones know it from the starts
        mesh.polygons.foreach_set('loop_total', numpy.full(count, sides, numpy.int32))
    mesh.polygons.foreach_set('use_smooth', numpy.ones(count, bool))
    if uvs is not None:
        layer = mesh.uv_layers.new(name='UVMap')
        layer.data.foreach_set('uv', numpy.ascontiguousarray(uvs, numpy.float32)[corners].ravel())
    mesh.update(calc_edges=True)
    return mesh


def mesh_of_heights(name, heights, cell):
    """A vertex a sample, the middle of the map at the origin, north is +y."""
    rows, columns = heights.shape
    east = (numpy.arange(columns) - (columns - 1) / 2) * cell
    north = ((rows - 1) / 2 - numpy.arange(rows)) * cell
    positions = numpy.empty((rows, columns, 3), numpy.float32)
    positions[..., 0], positions[..., 1], positions[..., 2] = east, north[:, None], heights
    index = numpy.arange(rows * columns).reshape(rows, columns)
    # From above counter-clockwise: south-west, south-east, north-east, north-west.
    corners = numpy.stack([index[1:, :-1], index[1:, 1:], index[:-1, 1:], index[:-1, :-1]], -1)
    uvs = numpy.empty((rows, columns, 2), numpy.float32)
    uvs[..., 0] = numpy.linspace(0, 1, columns)
    uvs[..., 1] = numpy.linspace(1, 0, rows)[:, None]
    return mesh_of(name, positions.reshape(-1, 3), corners, 4, uvs.reshape(-1, 2))


def z_up(vectors):
    """From x east, y up, z south."""
    return numpy.stack([vectors[..., 0], -vectors[..., 2], vectors[..., 1]], -1)


def mesh_of_part(part):
    uvs = part.uvs
    if uvs is not None:
        uvs[:, 1] = 1 - uvs[:, 1]  # from the top there, from the bottom here
    mesh = mesh_of(part.name, z_up(part.positions), part.indices, 3, uvs)
    if part.normals is not None:
        if bpy.app.version < (4, 1):
            mesh.use_auto_smooth = True
        mesh.normals_split_custom_set_from_vertices(z_up(part.normals))
    return mesh


# --- Colours ----------------------------------------------------------------------------------

def ground_material():
    """Mixes COLOURS by the colour attribute "splat"."""
    material = bpy.data.materials.get('karst ground')
    if material is not None:
        return material
    material = bpy.data.materials.new('karst ground')
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    shader = next(node for node in nodes if node.type == 'BSDF_PRINCIPLED')
    shader.inputs['Roughness'].default_value = 1
    weights = nodes.new('ShaderNodeAttribute')
    weights.attribute_name = 'splat'
    split = nodes.new('ShaderNodeSeparateColor')
    links.new(weights.outputs['Color'], split.inputs[0])
    total = None
    for colour, weight in zip(COLOURS, [*split.outputs, weights.outputs['Alpha']]):
        share = nodes.new('ShaderNodeVectorMath')
        share.operation = 'SCALE'
        share.inputs[0].default_value = colour
        links.new(weight, share.inputs['Scale'])
        if total is None:
            total = share
            continue
        added = nodes.new('ShaderNodeVectorMath')
        links.new(total.outputs[0], added.inputs[0])
        links.new(share.outputs[0], added.inputs[1])
        total = added
    links.new(total.outputs[0], shader.inputs['Base Color'])
    return material


def colour_ground(mesh, splat):
    attribute = mesh.color_attributes.new('splat', 'FLOAT_COLOR', 'POINT')
    attribute.data.foreach_set('color', (splat / numpy.float32(255)).astype(numpy.float32).ravel())
    mesh.materials.append(ground_material())


# --- Properties out of the metadata -----------------------------------------------------------

def single(value):
    """A number as it was typed: properties hold 32-bit floats, 0.1 as 0.10000000149."""
    return float(str(numpy.float32(value)))


def property_of(param, default):
    name = param.name.replace('_', ' ').capitalize()
    help_ = param.help.rstrip('.') + (f' ({param.unit})' if param.unit else '')
    common = {'name': name, 'description': help_, 'default': default}
    if param.type == 'boolean':
        return bpy.props.BoolProperty(**common)
    if param.type == 'choice':
        items = [(choice, choice.replace('_', ' '), '') for choice in param.choices]
        return bpy.props.EnumProperty(items=items, **common)
    if param.type == 'text':
        return bpy.props.StringProperty(**common)
    if param.type == 'integer':
        most = 2**31 - 1
        return bpy.props.IntProperty(min=max(param.minimum, -most), max=min(param.maximum, most),
                                     **common)
    return bpy.props.FloatProperty(min=param.minimum, max=param.maximum, precision=3, **common)


def value_of(param, value):
    """What a property of `param` means."""
    if param.type == 'real':
        return min(max(single(value), param.minimum), param.maximum)
    return value


def preset_taker(generator, params):
    """Shows the values of a preset that was chosen."""

    def take(properties, _):
        request = karst.Request(generator.name, preset=properties.preset)
        for param in params:
            setattr(properties, param.name, request.get(param.name))

    return take


def surfaces_of(generator):
    heights = [('grid', 'Grid', 'Every sample is a vertex')]
    meshes = [(layer.name, layer.name.capitalize(), layer.help)
              for layer in generator.layers if layer.kind == 'mesh']
    has_heights = any(layer.name == 'height' for layer in generator.layers)
    return (heights if has_heights else []) + meshes


def properties_of(generator, params):
    presets = [(its.name, its.name.replace('_', ' ').capitalize(), its.help)
               for its in generator.presets]
    surfaces = surfaces_of(generator)
    first = karst.Request(generator.name)
    annotations = {
        # Before the parameters: Blender sets what it is given in this order.
        'preset': bpy.props.EnumProperty(name='Preset', items=presets,
                                         update=preset_taker(generator, params)),
        'seed': bpy.props.StringProperty(name='Seed', default='0',
                                         description='A number, or any other text'),
        'surface': bpy.props.EnumProperty(name='Surface', items=surfaces),
        'cell': bpy.props.FloatProperty(name='Cell', default=generator.cell, min=0.001, precision=3,
                                        description='From one sample to the next (m)'),
    }
    if surfaces[0][0] == 'grid':
        annotations['colours'] = bpy.props.BoolProperty(
            name='Colours', default=True, description='Rock, grass, scree and sediment as the '
            'colour attribute "splat" of a grid, with a material')
    for side in ('width', 'height') + ('depth',) * (generator.depth > 0):
        annotations[side] = bpy.props.IntProperty(
            name=side.capitalize(), default=getattr(generator, side), min=1, max=MOST_CELLS,
            description='Cells')
    for param in params:
        annotations[param.name] = property_of(param, first.get(param.name))
    return annotations


# --- Operators --------------------------------------------------------------------------------

class Make:
    """What the operators of all generators share."""
    bl_options = {'REGISTER', 'UNDO'}

    def request(self):
        """What the properties say; a parameter that nobody set is the preset's."""
        size = (self.width, self.height) + ((self.depth,) if hasattr(self, 'depth') else ())
        request = karst.Request(self.karst_generator, preset=self.preset, seed=self.seed, size=size,
                                cell=single(self.cell))
        for param in self.karst_params:
            if self.properties.is_property_set(param.name):
                request.set(**{param.name: value_of(param, getattr(self, param.name))})
        if self.surface == 'grid':
            # Every layer that is not needed for the grid may be left out.
            request.add_layer('height', *['splat'] * self.colours)
            request.set_only_added()
        else:
            request.add_layer(self.surface)
        return request

    def execute(self, context):
        manager = context.window_manager
        manager.progress_begin(0, 1)
        try:
            request = self.request()
            with request.run(progress=lambda _, part: manager.progress_update(part)) as result:
                objects = self.objects(result)
        except karst.Error as error:
            self.report({'ERROR'}, str(error))
            return {'CANCELLED'}
        finally:
            manager.progress_end()
        for note in result.notes:
            self.report({'INFO'}, note)
        for other in context.selected_objects:
            other.select_set(False)
        for made in objects:
            made['karst'] = {
                'generator': self.karst_generator, 'preset': self.preset, 'seed': self.seed,
                'surface': self.surface, 'cell': single(self.cell),
                'size': [self.width, self.height, getattr(self, 'depth', 0)],
                'version': karst.version, 'algorithm_version': karst.algorithm_version,
                'params': request.params}
            context.collection.objects.link(made)
            made.select_set(True)
        context.view_layer.objects.active = objects[0]
        return {'FINISHED'}

    def objects(self, result):
        if self.surface == 'grid':
            layer = result.layers['height']
            mesh = mesh_of_heights(self.karst_generator, layer.amounts(), result.cell)
            if self.colours:
                colour_ground(mesh, result.layers['splat'].cells.reshape(-1, 4))
            made = bpy.data.objects.new(mesh.name, mesh)
            made['karst_digest'] = f'{layer.digest:#018x}'
            return [made]
        objects = []
        for part in result.meshes[self.surface].parts:
            made = bpy.data.objects.new(part.name, mesh_of_part(part))
            made.location = z_up(numpy.array(part.pivot))
            made['karst_digest'] = f'{part.digest:#018x}'
            objects.append(made)
        return objects


def operator_of(generator):
    # What makes a layer is chosen by `surface`.
    makers = {layer.param for layer in generator.layers}
    params = [param for param in generator.params if param.name not in makers]
    return type(f'MESH_OT_karst_{generator.name}', (Make, bpy.types.Operator), {
        '__doc__': generator.help,
        '__annotations__': properties_of(generator, params),
        'bl_idname': f'mesh.karst_{generator.name}',
        'bl_label': LABELS.get(generator.name, f'karst: {generator.name}'),
        'karst_generator': generator.name,
        'karst_params': params,
    })


OPERATORS = [operator_of(generator) for generator in karst.generators()
             if generator.presets and surfaces_of(generator)]


class VIEW3D_MT_karst(bpy.types.Menu):
    bl_label = 'karst'

    def draw(self, _):
        for operator in OPERATORS:
            self.layout.operator(operator.bl_idname, text=operator.bl_label.split(': ')[1])


def add_menu(self, _):
    self.layout.menu('VIEW3D_MT_karst')


def register():
    for its in (*OPERATORS, VIEW3D_MT_karst):
        bpy.utils.register_class(its)
    bpy.types.VIEW3D_MT_mesh_add.append(add_menu)


def unregister():
    bpy.types.VIEW3D_MT_mesh_add.remove(add_menu)
    for its in (VIEW3D_MT_karst, *reversed(OPERATORS)):
        bpy.utils.unregister_class(its)


if __name__ == '__main__':
    register()

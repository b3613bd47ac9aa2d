"""What a run gives.

The cells of layers are karst's own memory, seen in place. Every view holds the handle that this
memory belongs to, so it can be read for as long as it is held, whatever became of the Result."""
import ctypes
import json
import math
import os
from ctypes import c_char_p
from typing import NamedTuple, Tuple

from . import _capi as lib
from ._capi import call, read

try:
    import numpy
except ImportError:
    numpy = None

_FORMATS = {8: 'B', 16: 'H', 32: 'I'}


def _shaped(memory, kind, shape):
    """Bytes as an array of the format `kind`: NumPy's, or without NumPy a memoryview."""
    view = memoryview(memory).cast('B').cast(kind)
    if numpy is not None:
        return numpy.asarray(view).reshape(shape)
    # A memoryview has no sides of 0.
    return view.cast('B').cast(kind, shape) if all(shape) else view


def _new(kind, shape):
    """Memory for such an array, and the array in it."""
    memory = (ctypes.c_ubyte * (4 * math.prod(shape)))()
    return memory, _shaped(memory, kind, shape)


class Layer:
    """A map or a volume."""

    def __init__(self, handle, index):
        its = read(lib.Layer, 'result_layer_at', handle, index)
        self._handle, self._index = handle, index
        self._address, self._size = its.cells, its.size
        self.name = its.name.decode()
        self.kind = lib.LAYER_KINDS[its.kind]
        self.meaning = lib.MEANINGS[its.meaning]
        self.unit = its.unit.decode()
        self.scale, self.offset = its.scale, its.offset
        self.channels, self.bits = its.channels, its.bits
        self.width, self.height, self.depth = its.width, its.height, its.depth
        self.digest = its.digest

    @property
    def shape(self):
        """(height, width) of a map, (depth, height, width) of a volume; then the channels if there
        are several."""
        extent = (self.depth,) * (self.kind == 'volume') + (self.height, self.width)
        return extent + (self.channels,) * (self.channels > 1)

    @property
    def cells(self):
        """karst's own memory, not a copy: unsigned integers that cannot be changed."""
        memory = (ctypes.c_ubyte * self._size).from_address(self._address)
        memory.owner = self._handle
        view = memoryview(memory).cast('B').toreadonly()
        return _shaped(view, _FORMATS[self.bits], self.shape)

    def amounts(self):
        """cells * scale + offset, in `unit`, as 32-bit floats."""
        memory, array = _new('f', self.shape)
        call('result_copy_amounts', self._handle, self._index, memory,
             self.width * self.height * self.depth, 0)
        return array

    def __repr__(self):
        return f'<karst.Layer {self.name} {"x".join(map(str, self.shape))}, {self.bits} bits>'


class Socket(NamedTuple):
    """A place that an engine attaches things to."""
    name: str
    position: Tuple[float, float, float]
    forward: Tuple[float, float, float]  # horizontal, of length 1


class MeshPart:
    """Triangles. Arrays are copies that belong to the caller, None if the part does not have them;
    x is east, y up, z south, in metres."""

    def __init__(self, handle, mesh, index):
        its = read(lib.MeshPart, 'result_part_at', handle, mesh, index)
        self._place = handle, mesh, index
        self._has = {'positions': (True, 3), 'normals': (its.has_normals, 3),
                     'uvs': (its.has_uvs, 2), 'tangents': (its.has_tangents, 4)}
        self.name = its.name.decode()
        self.vertex_count, self.index_count = its.vertex_count, its.index_count
        self.pivot = tuple(its.pivot)
        self.digest = its.digest

    def _attribute(self, name):
        has, width = self._has[name]
        if not has:
            return None
        memory, array = _new('f', (self.vertex_count, width))
        call('result_copy_part', *self._place,
             lib.MeshBuffers(vertex_capacity=self.vertex_count,
                             **{name: ctypes.addressof(memory)}))
        return array

    @property
    def positions(self):
        """x, y, z of each vertex, relative to `pivot`."""
        return self._attribute('positions')

    @property
    def normals(self):
        return self._attribute('normals')

    @property
    def uvs(self):
        return self._attribute('uvs')

    @property
    def tangents(self):
        """x, y, z, sign of the bitangent."""
        return self._attribute('tangents')

    @property
    def indices(self):
        """Three vertices a triangle, counter-clockwise seen from the front."""
        memory, array = _new('I', (self.index_count // 3, 3))
        call('result_copy_part', *self._place,
             lib.MeshBuffers(index_capacity=self.index_count, indices=ctypes.addressof(memory)))
        return array

    def __repr__(self):
        return f'<karst.MeshPart {self.name}, {self.index_count // 3} triangles>'


class Mesh:
    def __init__(self, handle, index):
        its = read(lib.Mesh, 'result_mesh_at', handle, index)
        self.name = its.name.decode()
        self.parts = [MeshPart(handle, index, part) for part in range(its.part_count)]
        sockets = [read(lib.Socket, 'result_socket_at', handle, index, i)
                   for i in range(its.socket_count)]
        self.sockets = [Socket(socket.name.decode(), tuple(socket.position),
                               tuple(socket.forward)) for socket in sockets]

    def __repr__(self):
        return f'<karst.Mesh {self.name}, {len(self.parts)} parts>'


class Document:
    """A text: JSON or SVG."""

    def __init__(self, handle, index):
        its = read(lib.Document, 'result_document_at', handle, index)
        self.name = its.name.decode()
        self.text = its.text.decode()
        self.digest = its.digest

    def json(self):
        return json.loads(self.text)

    def __str__(self):
        return self.text


class Result:
    """`layers`, `meshes` and `documents` by their names, `measures` as numbers by their names,
    `notes` (what a person should know) and `cell` (metres a cell).

    close() lets go of the memory of the result; so does the end of a `with` block. What was taken
    out of it before stays good, and the memory is free when the last of it is gone."""

    def __init__(self, handle):
        self._handle = handle
        info = read(lib.ResultInfo, 'result_get_info', handle)

        def by_name(type_, count):
            return {its.name: its for its in (type_(handle, i) for i in range(count))}

        self.cell = info.cell
        self.layers = by_name(Layer, info.layer_count)
        self.meshes = by_name(Mesh, info.mesh_count)
        self.documents = by_name(Document, info.document_count)
        measures = (read(lib.Measure, 'result_measure_at', handle, i)
                    for i in range(info.measure_count))
        self.measures = {its.name.decode(): its.value for its in measures}
        self.notes = [read(c_char_p, 'result_note_at', handle, i).value.decode()
                      for i in range(info.note_count)]

    @property
    def closed(self):
        return self._handle is None

    def write(self, layer, path):
        """Writes a layer, mesh or document in the format of the file's extension. The file appears
        whole or not at all."""
        if self._handle is None:
            raise ValueError('the result is closed')
        call('result_write', self._handle, layer.encode(), os.fsencode(path))

    def close(self):
        self._handle, self.layers, self.meshes, self.documents = None, {}, {}, {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

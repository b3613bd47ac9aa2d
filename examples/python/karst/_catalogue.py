"""What karst can make, and on what."""
import functools
from typing import NamedTuple, Optional, Tuple, Union

from . import _capi as lib
from ._capi import c_char_p, c_uint32, read


class Device(NamedTuple):
    kind: str  # "cpu" or "cuda"
    ordinal: int
    memory: int  # bytes
    name: str

    def __str__(self):
        return self.kind if self.kind == 'cpu' else f'{self.kind}:{self.ordinal}'


class Param(NamedTuple):
    name: str
    type: str  # "boolean", "integer", "real", "choice" or "text"
    unit: str  # "m", "degrees", "fraction", "cells", "steps" or ""
    minimum: Union[int, float, None]  # of integers and reals
    maximum: Union[int, float, None]
    default: Union[bool, int, float, str]  # without a preset
    choices: Tuple[str, ...]
    help: str


class Preset(NamedTuple):
    name: str
    help: str


class LayerKind(NamedTuple):
    name: str
    kind: str  # "map", "volume", "mesh", "document" or "drawing"
    on_request: bool  # made only if Request.add_layer names it
    param: str  # the boolean parameter that makes it; "": always there
    help: str


class Generator(NamedTuple):
    name: str
    help: str
    params: Tuple[Param, ...]
    presets: Tuple[Preset, ...]  # a request begins with the first
    layers: Tuple[LayerKind, ...]
    maps: Tuple[str, ...]  # painted maps that it takes
    takes_shape: bool
    width: int  # of a new request, cells
    height: int
    depth: int  # 0: it makes maps, not volumes
    cell: float  # metres a cell

    def param(self, name) -> Optional[Param]:
        return next((param for param in self.params if param.name == name), None)


def devices():
    """The CPU, then the CUDA devices."""
    found = (read(lib.Device, 'device_at', i) for i in range(read(c_uint32, 'device_count').value))
    return [Device(lib.DEVICES[its.kind], its.ordinal, its.memory, its.name.decode())
            for its in found]


def _param(generator, index):
    its = read(lib.Param, 'param_at', generator, index)
    kind = lib.PARAM_TYPES[its.type]
    number = {'integer': int, 'real': float}.get(kind)
    default = (bool(its.default_boolean) if kind == 'boolean' else
               number(its.default_number) if number else its.default_text.decode())
    choices = tuple(read(c_char_p, 'choice_at', generator, index, i).value.decode()
                    for i in range(its.choice_count))
    return Param(its.name.decode(), kind, its.unit.decode(), number and number(its.minimum),
                 number and number(its.maximum), default, choices, its.help.decode())


def _preset(generator, index):
    its = read(lib.Preset, 'preset_at', generator, index)
    return Preset(its.name.decode(), its.help.decode())


def _layer(generator, index):
    its = read(lib.LayerKind, 'layer_at', generator, index)
    return LayerKind(its.name.decode(), lib.LAYER_KINDS[its.kind], bool(its.on_request),
                     its.param.decode(), its.help.decode())


def _generator(index):
    its = read(lib.Generator, 'generator_at', index)

    def all_of(what, count):
        return tuple(what(index, i) for i in range(count))

    return Generator(
        its.name.decode(), its.help.decode(), all_of(_param, its.param_count),
        all_of(_preset, its.preset_count), all_of(_layer, its.layer_count),
        tuple(read(c_char_p, 'map_at', index, i).value.decode() for i in range(its.map_count)),
        bool(its.takes_shape), its.width, its.height, its.depth, its.cell)


@functools.lru_cache(maxsize=None)
def _all():
    return tuple(_generator(i) for i in range(read(c_uint32, 'generator_count').value))


def generators():
    """All that karst can make, as a list of Generator. Their order never changes."""
    return list(_all())


def generator(name) -> Generator:
    """The generator of that name; raises Error that lists what there is."""
    return _all()[read(c_uint32, 'find_generator', str(name).encode()).value]

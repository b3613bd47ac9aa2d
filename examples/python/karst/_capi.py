"""karst's C interface as ctypes sees it: the structs and functions of karst/karst.h, and where the
library is found."""
import ctypes
import ctypes.util
import os
import sys
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_float, c_int32,
                    c_int64, c_size_t, c_uint32, c_uint64, c_void_p)

VERSION = '0.1'  # of the library: programs of one minor version fit each other

# Statuses.
OK, INVALID_ARGUMENT, CANCELLED, NOT_FINISHED = 0, 1, 9, 11
# Types of parameters, kinds of layers, meanings of cells, by their numbers.
PARAM_TYPES = ('boolean', 'integer', 'real', 'choice', 'text')
LAYER_KINDS = ('map', 'volume', 'mesh', 'document', 'drawing')
MEANINGS = ('mask', 'amount', 'id', 'colour')
DEVICES = ('cpu', 'cuda', 'auto')

ProgressFunction = CFUNCTYPE(c_int32, c_void_p, c_char_p, c_double)


def require_fit(name, type_, value):
    """ctypes would cut numbers that are too large, and texts at a 0 byte."""
    if isinstance(value, int) and type_ in (c_int32, c_int64, c_uint32, c_uint64, c_size_t):
        if type_(value).value != value:
            raise OverflowError(f'{name} is {value}, which {type_.__name__} does not hold')
    elif isinstance(value, bytes) and b'\0' in value:
        raise ValueError(f'{name} has a 0 byte')


class Struct(Structure):
    """A struct that begins with its size."""

    def __init__(self, **members):
        types = dict(self._fields_)
        for name, value in members.items():
            require_fit(name, types[name], value)
        super().__init__(struct_size=ctypes.sizeof(self), **members)


def struct(name, /, **members):
    return type(name, (Struct,), {'_fields_': [('struct_size', c_uint32), *members.items()]})


Device = struct('karst_device', kind=c_int32, ordinal=c_int32, reserved=c_uint32, memory=c_uint64,
                name=c_char * 256)
Generator = struct('karst_generator', param_count=c_uint32, preset_count=c_uint32,
                   layer_count=c_uint32, map_count=c_uint32, takes_shape=c_int32, name=c_char_p,
                   help=c_char_p, width=c_int64, height=c_int64, depth=c_int64, cell=c_double)
Param = struct('karst_param', type=c_int32, choice_count=c_uint32, default_boolean=c_int32,
               name=c_char_p, help=c_char_p, unit=c_char_p, minimum=c_double, maximum=c_double,
               default_number=c_double, default_text=c_char_p)
Preset = struct('karst_preset', reserved=c_uint32, name=c_char_p, help=c_char_p)
LayerKind = struct('karst_layer_kind', kind=c_int32, on_request=c_int32, reserved=c_uint32,
                   name=c_char_p, help=c_char_p, param=c_char_p)
PaintedMap = struct('karst_painted_map', reserved=c_uint32, width=c_int64, height=c_int64,
                    row=c_int64, cells=c_void_p, black=c_double, white=c_double)
Options = struct('karst_options', device_kind=c_int32, device_ordinal=c_int32, threads=c_int32,
                 memory_limit=c_uint64, progress=ProgressFunction, progress_context=c_void_p,
                 allocator=c_void_p, task_runner=c_void_p)
JobState = struct('karst_job_state', finished=c_int32, status=c_int32, reserved=c_uint32,
                  fraction=c_double, stage=c_char * 64)
ResultInfo = struct('karst_result_info', layer_count=c_uint32, mesh_count=c_uint32,
                    document_count=c_uint32, measure_count=c_uint32, note_count=c_uint32,
                    cell=c_double)
Layer = struct('karst_layer', kind=c_int32, meaning=c_int32, channels=c_uint32, bits=c_uint32,
               reserved=c_uint32, width=c_int64, height=c_int64, depth=c_int64, scale=c_double,
               offset=c_double, name=c_char_p, unit=c_char_p, size=c_uint64, cells=c_void_p,
               digest=c_uint64)
Mesh = struct('karst_mesh', part_count=c_uint32, socket_count=c_uint32, reserved=c_uint32,
              name=c_char_p)
MeshPart = struct('karst_mesh_part', has_normals=c_int32, has_uvs=c_int32, has_tangents=c_int32,
                  vertex_count=c_uint64, index_count=c_uint64, name=c_char_p, pivot=c_float * 3,
                  reserved=c_uint32, digest=c_uint64)
MeshBuffers = struct('karst_mesh_buffers', stride=c_uint32, vertex_capacity=c_uint64,
                     index_capacity=c_uint64, positions=c_void_p, normals=c_void_p, uvs=c_void_p,
                     tangents=c_void_p, indices=c_void_p)
Socket = struct('karst_socket', position=c_float * 3, forward=c_float * 3, reserved=c_uint32,
                name=c_char_p)
Document = struct('karst_document', reserved=c_uint32, name=c_char_p, text=c_char_p,
                  length=c_uint64, digest=c_uint64)
Measure = struct('karst_measure', reserved=c_uint32, name=c_char_p, value=c_double)

_handle, _text, _number, _texts = c_void_p, c_char_p, POINTER(c_uint32), POINTER(c_char_p)
_FUNCTIONS = {
    'device_count': [_number],
    'device_at': [c_uint32, POINTER(Device)],
    'generator_count': [_number],
    'generator_at': [c_uint32, POINTER(Generator)],
    'find_generator': [_text, _number],
    'param_at': [c_uint32, c_uint32, POINTER(Param)],
    'choice_at': [c_uint32, c_uint32, c_uint32, _texts],
    'preset_at': [c_uint32, c_uint32, POINTER(Preset)],
    'layer_at': [c_uint32, c_uint32, POINTER(LayerKind)],
    'map_at': [c_uint32, c_uint32, _texts],
    'request_create': [_text, POINTER(_handle)],
    'request_destroy': [_handle],
    'request_set_preset': [_handle, _text],
    'request_set_seed': [_handle, c_uint64],
    'request_set_seed_text': [_handle, _text],
    'request_set_extent': [_handle, c_int64, c_int64, c_int64],
    'request_set_cell': [_handle, c_double],
    'request_set_boolean': [_handle, _text, c_int32],
    'request_set_integer': [_handle, _text, c_int64],
    'request_set_real': [_handle, _text, c_double],
    'request_set_text': [_handle, _text, _text],
    'request_get_text': [_handle, _text, c_void_p, c_size_t, POINTER(c_size_t)],
    'request_set_map': [_handle, _text, POINTER(PaintedMap)],
    'request_set_shape': [_handle, c_char_p, c_size_t, c_char_p, c_size_t],
    'request_add_layer': [_handle, _text],
    'request_set_only_added': [_handle, c_int32],
    'request_memory': [_handle, POINTER(Options), POINTER(c_uint64)],
    'run': [_handle, POINTER(Options), POINTER(_handle)],
    'start': [_handle, POINTER(Options), POINTER(_handle)],
    'job_poll': [_handle, POINTER(JobState)],
    'job_wait': [_handle, c_int64],
    'job_cancel': [_handle],
    'job_take_result': [_handle, POINTER(_handle)],
    'job_destroy': [_handle],
    'result_destroy': [_handle],
    'result_get_info': [_handle, POINTER(ResultInfo)],
    'result_layer_at': [_handle, c_uint32, POINTER(Layer)],
    'result_copy_amounts': [_handle, c_uint32, c_void_p, c_size_t, c_size_t],
    'result_mesh_at': [_handle, c_uint32, POINTER(Mesh)],
    'result_part_at': [_handle, c_uint32, c_uint32, POINTER(MeshPart)],
    'result_copy_part': [_handle, c_uint32, c_uint32, POINTER(MeshBuffers)],
    'result_socket_at': [_handle, c_uint32, c_uint32, POINTER(Socket)],
    'result_document_at': [_handle, c_uint32, POINTER(Document)],
    'result_measure_at': [_handle, c_uint32, POINTER(Measure)],
    'result_note_at': [_handle, c_uint32, _texts],
    'result_write': [_handle, _text, _text],
}


class Error(Exception):
    """What karst refused or could not do: `status` as karst_status counts, its `name`
    ("invalid_argument") and `text`."""

    def __init__(self, status, text):
        super().__init__(status, text)
        self.status, self.text = status, text

    def __str__(self):
        return self.text

    @property
    def name(self):
        return library.karst_status_name(self.status).decode()


class Cancelled(Error):
    """The caller asked to stop."""


def error_of(status):
    text = library.karst_last_error().decode(errors='replace')
    return (Cancelled if status == CANCELLED else Error)(status, text)


def call(name, *arguments):
    """karst_NAME(...); raises Error if it fails."""
    if name in _FUNCTIONS:
        for type_, argument in zip(_FUNCTIONS[name], arguments):
            if name != 'request_set_shape': # whose bytes are numbers
                require_fit('an argument of ' + name, type_, argument)
    status = getattr(library, 'karst_' + name)(*arguments)
    if status != OK:
        raise error_of(status)


def read(type_, name, *arguments):
    """What karst_NAME(..., TYPE *) fills."""
    value = type_()
    call(name, *arguments, ctypes.byref(value))
    return value


class Handle:
    """A handle and what destroys it: karst_KIND_destroy, when nobody holds this object any more."""

    def __init__(self, kind, value):
        # Looked up now: while Python ends, the names of a module may be gone.
        self._destroy = getattr(library, f'karst_{kind}_destroy')
        self._as_parameter_ = c_void_p(value)

    def __del__(self):
        self._destroy(self._as_parameter_)


def _names():
    if sys.platform == 'win32':
        return ['karst_c.dll']
    if sys.platform == 'darwin':
        return [f'libkarst_c.{VERSION}.dylib', 'libkarst_c.dylib']
    return [f'libkarst_c.so.{VERSION}', 'libkarst_c.so']


def _candidates():
    asked = os.environ.get('KARST_LIBRARY')
    if asked:
        return [asked]
    here = os.path.dirname(os.path.abspath(__file__))
    beside = [os.path.join(here, name) for name in _names()]
    found = ctypes.util.find_library('karst_c')
    return [path for path in beside if os.path.exists(path)] + ([found] if found else []) + _names()


def _open():
    faults = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path), path
        except OSError as error:
            faults.append(f'{path}: {error}')
    raise ImportError("karst's library is not found. Set KARST_LIBRARY to the path of "
                      f'{_names()[0]}, or put it beside this package.\n  ' + '\n  '.join(faults))


def _load():
    opened, path = _open()
    try:
        opened.karst_version.restype = c_char_p
        version = opened.karst_version().decode()
        if version.split('.')[:2] != VERSION.split('.'):
            raise ImportError(f'{path} is karst {version}; this package is for {VERSION}')
        opened.karst_algorithm_version.restype = c_uint32
        opened.karst_status_name.restype = c_char_p
        opened.karst_status_name.argtypes = [c_int32]
        opened.karst_last_error.restype = c_char_p
        for name, arguments in _FUNCTIONS.items():
            function = getattr(opened, 'karst_' + name)
            function.restype = c_int32
            function.argtypes = arguments
    except AttributeError as error:
        raise ImportError(f'{path} is not the library karst_c: {error}') from None
    return opened, path, version


library, library_path, version = _load()

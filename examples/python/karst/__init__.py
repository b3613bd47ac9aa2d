"""karst: seeds to game-ready cracks, caves and heightmaps.

    import karst
    result = karst.Request("heightmap", preset="alps", seed=7, size=(505, 505), cell=8).run()
    heights = result.layers["height"].amounts()  # metres

Names, units and ranges are those of the command line; generators() lists them. The package needs
the library karst_c: where KARST_LIBRARY says, beside the package, or where the system finds it."""
from ._catalogue import (Device, Generator, LayerKind, Param, Preset, devices, generator,
                         generators)
from ._capi import Cancelled, Error, library_path, version
from ._capi import library as _library
from ._request import Job, JobState, Request
from ._result import Document, Layer, Mesh, MeshPart, Result, Socket

__version__ = version
# The arrays of one algorithm version never change.
algorithm_version = _library.karst_algorithm_version()

__all__ = ['Cancelled', 'Device', 'Document', 'Error', 'Generator', 'Job', 'JobState', 'Layer',
           'LayerKind', 'Mesh', 'MeshPart', 'Param', 'Preset', 'Request', 'Result', 'Socket',
           'algorithm_version', 'devices', 'generator', 'generators', 'library_path', 'version']

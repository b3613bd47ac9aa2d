"""What to make, and making it."""
import atexit
import ctypes
import operator
import os
import queue
import threading
import time
from typing import NamedTuple

from . import _catalogue
from . import _capi as lib
from ._capi import Handle, call, read
from ._result import Result

_SLICE = 0.1  # seconds between looks at Python's signals while a job is waited for


class _Progress:
    """Calls the caller's function on the job's thread and keeps what it raises."""

    def __init__(self, function):
        self.error = None
        self._function = function
        self.called = lib.ProgressFunction(self._call)

    def _call(self, _, stage, fraction):
        try:
            if self.error is None and self._function is not None:
                self._function(stage.decode(errors='replace'), fraction)
        except BaseException as error:  # anything but 0 cancels; the caller gets it at the end
            self.error = error
        return self.error is not None


def _options(device, threads, memory_limit, progress=None):
    kind, _, ordinal = str(device).partition(':')
    if kind not in lib.DEVICES or ordinal and not (kind == 'cuda' and ordinal.isdigit()):
        raise ValueError(f"device is '{device}'; allowed is auto, cpu, cuda, cuda:N")
    options = lib.Options(device_kind=lib.DEVICES.index(kind), device_ordinal=int(ordinal or 0),
                          threads=threads, memory_limit=memory_limit)
    if progress is not None:
        options.progress = progress.called
    return options


class Request:
    """Request("cave", preset="warren", seed=7, size=(256, 256), cell=0.5, passage_width=6)

    `seed` is a number or, as on the command line, any text. `size` is cells: (width, height), or
    (width, height, depth) for generators of volumes. All further names are parameters."""

    def __init__(self, generator, preset=None, seed=0, size=None, cell=None, **params):
        self._handle = Handle('request', _created('request_create', str(generator).encode()))
        self.generator = _catalogue.generator(generator)
        if preset is not None:
            self.set_preset(preset)
        self.set_seed(seed)
        if size is not None:
            self.set_size(*size)
        if cell is not None:
            self.set_cell(cell)
        self.set(**params)

    def set_preset(self, preset):
        """Puts all parameters to the values of the preset."""
        call('request_set_preset', self._handle, preset.encode())

    def set_seed(self, seed):
        if isinstance(seed, str):
            call('request_set_seed_text', self._handle, seed.encode())
            return
        seed = operator.index(seed)
        if not 0 <= seed < 2**64:
            raise ValueError(f'seed is {seed}; allowed is 0 to 2^64 - 1')
        call('request_set_seed', self._handle, seed)

    def set_size(self, width, height, depth=0):
        call('request_set_extent', self._handle, width, height, depth)

    def set_cell(self, metres):
        call('request_set_cell', self._handle, metres)

    def set(self, **params):
        """Values of parameters. A text is taken as the command line takes it, for any type."""
        for name, value in params.items():
            param = self.generator.param(name)
            # The library refuses what it does not know, and lists what it does.
            kind = 'text' if isinstance(value, str) or param is None else param.type
            if kind == 'boolean':
                call('request_set_boolean', self._handle, name.encode(), bool(value))
            elif kind == 'integer':
                call('request_set_integer', self._handle, name.encode(), operator.index(value))
            elif kind == 'real':
                call('request_set_real', self._handle, name.encode(), float(value))
            else:
                call('request_set_text', self._handle, name.encode(), str(value).encode())

    def get(self, name):
        """The value of a parameter as it is now."""
        size = ctypes.c_size_t()
        call('request_get_text', self._handle, name.encode(), None, 0, size)
        text = ctypes.create_string_buffer(size.value)
        call('request_get_text', self._handle, name.encode(), text, size.value, None)
        types = {'boolean': 'true'.__eq__, 'integer': int, 'real': float}
        return types.get(self.generator.param(name).type, str)(text.value.decode())

    @property
    def params(self):
        """All parameters and their values."""
        return {param.name: self.get(param.name) for param in self.generator.params}

    def set_map(self, name, cells, black=0, white=0):
        """A painted map over the whole ground: rows of 16-bit unsigned integers of anything with
        the buffer protocol, 0 is black and 65535 white. For a map of a parameter, `black` and
        `white` say what the two mean. None takes the map away."""
        painted = lib.PaintedMap(black=black, white=white)
        if cells is not None:
            view = _buffer(cells, 'cells', 'H', 2)
            painted.height, painted.width = view.shape
            data = view.tobytes()
            painted.cells = ctypes.cast(data, ctypes.c_void_p)
        call('request_set_map', self._handle, name.encode(), painted)

    def set_shape(self, positions, indices=None):
        """The closed mesh of a volume's shape: x, y, z of each vertex as 32-bit floats and three
        indices a triangle as 32-bit unsigned integers. None takes it away."""
        if positions is None:
            call('request_set_shape', self._handle, None, 0, None, 0)
            return
        vertices = _buffer(positions, 'positions', 'f').tobytes()
        triangles = _buffer(indices, 'indices', 'IL').tobytes()
        if len(vertices) % 12:
            raise ValueError('positions are not three numbers a vertex')
        call('request_set_shape', self._handle, vertices, len(vertices) // 12, triangles,
             len(triangles) // 4)

    def add_layer(self, *names):
        """Asks for layers that are made on request or by a parameter."""
        for name in names:
            call('request_add_layer', self._handle, name.encode())

    def set_only_added(self, only=True):
        """Layers that were not added may be left out, which can save time."""
        call('request_set_only_added', self._handle, bool(only))

    def memory(self, device='auto', threads=0):
        """Bytes that a run needs at its peak, its result included."""
        return read(ctypes.c_uint64, 'request_memory', self._handle,
                    _options(device, threads, 0)).value

    def run(self, device='auto', threads=0, progress=None, memory_limit=0) -> Result:
        """Makes it. `device` is "auto", "cpu", "cuda", "cuda:1" or one of devices(); threads of 0
        are all that the process may use. `progress` is called on this thread as
        progress(stage, fraction); what it raises cancels the run and is raised here. Ctrl-C
        too."""
        options = _options(device, threads, memory_limit)
        return Result(_run(self._handle, options, progress))

    def start(self, device='auto', threads=0, progress=None, memory_limit=0) -> 'Job':
        """Begins to make it and returns. `progress` is called on another thread."""
        _sweep()
        its = _Progress(progress)
        return Job(_created('start', self._handle, _options(device, threads, memory_limit, its)),
                   its)


def _run(request, options, progress):
    """The handle of the result. A thread of its own runs the job: in a callback of C an exception
    of a signal could be lost, here it cannot."""
    said = queue.SimpleQueue()
    stop = threading.Event()
    outcome = []

    def tell(stage, fraction):
        said.put((stage, fraction))
        if stop.is_set():
            raise StopIteration

    def work():
        its = _Progress(tell)
        options.progress = its.called
        try:
            outcome.append(Handle('result', _created('run', request, options)))
        except BaseException as error:
            outcome.append(error)
        said.put(None)

    worker = threading.Thread(target=work, name='karst')
    worker.start()
    raised = None
    while True:
        try:
            step = said.get(timeout=_SLICE)
            if step is None:
                break
            if progress is not None and raised is None:
                progress(*step)
        except queue.Empty:
            # An exception may have come between the last step and its name.
            if not worker.is_alive():
                break
        except BaseException as error:  # of `progress` or a signal
            raised = raised or error
            stop.set()
    worker.join()
    if raised is not None:
        raise raised
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]


def _created(name, *arguments):
    """The handle that karst_NAME makes."""
    return read(ctypes.c_void_p, name, *arguments).value


def _buffer(data, name, formats, dimensions=None):
    view = memoryview(data)
    own = view.format.lstrip('@=' + ('<' if lib.sys.byteorder == 'little' else '>'))
    size = {'H': 2}.get(formats, 4)
    if own not in tuple(formats) or view.itemsize != size:
        raise TypeError(f"{name} are of type '{view.format}'; allowed is '{formats[0]}', "
                        f'{8 * size} bits')
    if dimensions is not None and view.ndim != dimensions:
        raise TypeError(f'{name} have {view.ndim} dimensions; allowed is {dimensions}')
    return view


class JobState(NamedTuple):
    finished: bool
    status: int  # as karst_status counts; 11 while it runs, 0 where there is a result
    fraction: float  # of the whole, 0 to 1
    stage: str  # what runs now, "network 2 of 3"


# Jobs whose handles live, by handle, with the callbacks that karst still has; and those of them
# that nobody holds. A finalizer may run on any thread, that of the job too: it waits for nothing.
_lock = threading.RLock()
_alive = {}
_left = []


def _destroy(job):
    with _lock:
        progress = _alive.pop(job, None)
    if progress is not None:
        lib.library.karst_job_destroy(job)


def _has_ended(job):
    state = lib.JobState()
    # It fails in a forked child, where no job runs.
    return lib.library.karst_job_poll(job, ctypes.byref(state)) != lib.OK or state.finished


def _sweep():
    with _lock:
        ended = [job for job in _left if _has_ended(job)]
        _left[:] = [job for job in _left if job not in ended]
    for job in ended:
        _destroy(job)


@atexit.register
def _end():
    """No job may call a Python that is gone."""
    for job in list(_alive):
        _destroy(job)


def _renew_lock():
    """In a forked child: another thread may have held it."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_renew_lock)


class Job:
    """A run beside the caller. At the end of a `with` block it is cancelled if it still runs; so it
    is when nobody holds it any more."""

    def __init__(self, job, progress):
        self._job, self._progress = job, progress
        self._result = self._error = None
        self._taking = threading.Lock()
        with _lock:
            _alive[job] = progress

    def poll(self):
        """How far it is, as JobState."""
        its = read(lib.JobState, 'job_poll', self._job)
        return JobState(bool(its.finished), its.status, its.fraction, its.stage.decode())

    def wait(self, timeout=None):
        """Waits for its end, at most so many seconds: whether it has ended."""
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            left = _SLICE if until is None else max(0, min(_SLICE, until - time.monotonic()))
            status = lib.library.karst_job_wait(self._job, round(left * 1000))
            if status != lib.NOT_FINISHED:
                error = lib.error_of(status)
                if not self.poll().finished:
                    raise error  # a callback of the job may not wait for it
                return True
            if until is not None and time.monotonic() >= until:
                return False

    def cancel(self):
        """Asks it to stop; it ends soon after."""
        call('job_cancel', self._job)

    def result(self, timeout=None) -> Result:
        """Waits for its end and gives the result, or raises what ended it: Error, Cancelled, or
        what `progress` raised. TimeoutError if it has not ended by then."""
        if self._result is None and not self.wait(timeout):
            raise TimeoutError(f'the job still runs after {timeout} s')
        with self._taking:
            if self._result is None:
                if self._progress.error is not None:
                    raise self._progress.error
                self._result = Result(Handle('result', _created('job_take_result', self._job)))
            return self._result

    def close(self):
        """Cancels it if it runs, and waits for its end. A result that was taken stays."""
        _destroy(self._job)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        with _lock:
            if self._job in _alive:
                lib.library.karst_job_cancel(self._job)
                _left.append(self._job)

"""The Python package over the C interface. In the environment: KARST_LIBRARY, KARST_PROGRAM (the
command line, for the same digests) and KARST_CXX (a compiler, for the layout of the structs)."""
import array
import concurrent.futures
import ctypes
import gc
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / 'examples' / 'python'
sys.dont_write_bytecode = True
sys.path.insert(0, str(PACKAGE))

import karst
from karst import _capi, _request, _result

PROGRAM = os.environ['KARST_PROGRAM']
numpy = _result.numpy
needs_numpy = unittest.skipIf(numpy is None, 'there is no NumPy')


def small(name='heightmap', **more):
    return karst.Request(name, **{'seed': 7, 'size': (64, 48), **more})


def long():
    """Some ten seconds."""
    return karst.Request('physarum', size=(1024, 1024), steps=4000)


def python(code, **environment):
    known = {name: value for name, value in os.environ.items() if name != 'KARST_LIBRARY'}
    return subprocess.run(
        [sys.executable, '-B', '-c', code], capture_output=True, text=True,
        env={**known, 'PYTHONPATH': str(PACKAGE), **environment}, check=False)


class Library(unittest.TestCase):
    def test_structs_and_numbers_are_those_of_the_header(self):
        structs = [its for its in vars(_capi).values()
                   if isinstance(its, type) and issubclass(its, _capi.Struct)
                   and its is not _capi.Struct]
        self.assertGreater(len(structs), 15)
        lines, mine = [], []
        for its in structs:
            lines.append(f'sizeof({its.__name__})')
            mine.append(ctypes.sizeof(its))
            for name, *_ in its._fields_:
                lines += [f'offsetof({its.__name__}, {name})', f'sizeof({its.__name__}::{name})']
                mine += [getattr(its, name).offset, getattr(its, name).size]
        numbers = {'CANCELLED': _capi.CANCELLED, 'NOT_FINISHED': _capi.NOT_FINISHED,
                   'INVALID_ARGUMENT': _capi.INVALID_ARGUMENT, 'TEXT': 4,
                   'DRAWING': _capi.LAYER_KINDS.index('drawing'),
                   'REAL': _capi.PARAM_TYPES.index('real'),
                   'COLOUR': _capi.MEANINGS.index('colour'),
                   'DEVICE_AUTOMATIC': _capi.DEVICES.index('auto')}
        lines += ['KARST_' + name for name in numbers]
        mine += numbers.values()
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, 'layout.cpp')
            with open(source, 'w', encoding='utf-8') as file:
                file.write('#include <cstdio>\n#include <karst/karst.h>\nint main() {\n' + ''.join(
                    f'std::printf("%lld\\n", static_cast<long long>({line}));\n' for line in lines)
                    + '}\n')
            program = os.path.join(folder, 'layout')
            subprocess.run([os.environ['KARST_CXX'], '-std=c++20', '-I', ROOT / 'include', source,
                            '-o', program], check=True)
            theirs = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        self.assertEqual(dict(zip(lines, map(int, theirs.split()))), dict(zip(lines, mine)))

    def test_every_function_of_the_header_that_it_declares_is_there(self):
        header = (ROOT / 'include/karst/karst.h').read_text(encoding='utf-8')
        declared = set(re.findall(r'karst_status karst_(\w+)\(', header))
        # Cells are seen in place; names are looked up in dictionaries.
        self.assertEqual(declared - set(_capi._FUNCTIONS),
                         {'result_copy_layer', 'result_find_layer', 'result_find_mesh',
                          'result_find_document', 'cuda_physarum', 'cuda_life', 'cuda_advance',
                          'cuda_copy', 'cuda_destroy'})

    def test_what_c_would_cut_is_refused(self):
        for make in (lambda: karst.Request('cave', size=(2 ** 64 + 64, 64)),
                     lambda: karst.Request('physarum', steps=2 ** 64 + 5),
                     lambda: karst.Request('cave', size=(64, 64)).run(threads=2 ** 32 + 1),
                     lambda: karst.Request('cave', size=(64, 64)).run(memory_limit=-1)):
            self.assertRaises(OverflowError, make)
        for make in (lambda: karst.Request('cave', seed='a\0b'),
                     lambda: karst.Request('cave', passage_width='6\0junk'),
                     lambda: karst.Request('cave\0s')):
            self.assertRaises(ValueError, make)

    def test_a_library_that_is_missing_or_none_is_an_import_error(self):
        with tempfile.TemporaryDirectory() as folder:
            missing = os.path.join(folder, 'none.so')
            said = python('import karst', KARST_LIBRARY=missing)
            self.assertEqual(said.returncode, 1)
            self.assertRegex(said.stderr, '(?s)ImportError.*KARST_LIBRARY.*none.so')
        other = python('import ctypes.util; print(ctypes.util.find_library("z"))').stdout.strip()
        if other and other != 'None':
            said = python('import karst', KARST_LIBRARY=other)
            self.assertRegex(said.stderr, 'ImportError: .* is not the library karst_c')

    def test_a_library_beside_the_package_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(PACKAGE / 'karst', os.path.join(folder, 'karst'))
            link = os.path.join(folder, 'karst', _capi._names()[-1])
            os.symlink(os.path.abspath(karst.library_path), link)
            said = python('import karst; print(karst.library_path)', PYTHONPATH=folder)
            self.assertEqual(said.stdout.strip(), link, said.stderr)

    def test_version(self):
        self.assertRegex(karst.version, r'^0\.1\.')
        self.assertGreaterEqual(karst.algorithm_version, 1)
        self.assertEqual(karst.devices()[0].kind, 'cpu')


class Catalogue(unittest.TestCase):
    def test_what_it_lists_is_what_a_request_takes(self):
        for generator in karst.generators():
            request = karst.Request(generator.name)
            for param in generator.params:
                self.assertTrue(param.help)
                if param.type in ('integer', 'real'):
                    self.assertLess(param.minimum, param.maximum)
                    request.set(**{param.name: param.maximum})
                    self.assertEqual(request.get(param.name), param.maximum)
                    with self.assertRaises(karst.Error):
                        request.set(**{param.name: param.maximum * 2 + 1})
                for choice in param.choices:
                    request.set(**{param.name: choice})
                    self.assertEqual(request.get(param.name), choice)
                request.set(**{param.name: param.default})
                self.assertEqual(request.get(param.name), param.default)
            for preset in generator.presets:
                request.set_preset(preset.name)
            for layer in generator.layers:
                request.add_layer(layer.name)
            for name in generator.maps:
                request.set_map(name, None)

    def test_it_lists_what_the_command_line_does(self):
        for generator in karst.generators():
            said = subprocess.run([PROGRAM, 'params', generator.name], capture_output=True,
                                  text=True, check=True).stdout
            for its, pattern in ((generator.params, r'^  (\w+) = '),
                                 (generator.presets, r'^  preset (\w+): '),
                                 (generator.layers, r'^  layer (\w+)\b')):
                self.assertEqual([one.name for one in its], re.findall(pattern, said, re.MULTILINE))

    def test_a_generator_by_name(self):
        cave = karst.generator('cave3d')
        self.assertTrue(cave.takes_shape and cave.depth > 0)
        self.assertEqual(cave.param('entrances').type, 'integer')
        self.assertIsNone(cave.param('entrance'))
        with self.assertRaisesRegex(karst.Error, 'heightmap'):
            karst.generator('none')


class SameAsTheCommandLine(unittest.TestCase):
    def reported(self, generator, size):
        """The report of the command line, with all layers that cost nothing to ask for."""
        command = {'physarum3': 'simulate physarum', 'cave3d': 'cave'}.get(
            generator.name, ('simulate ' if generator.name == 'physarum' else '') + generator.name)
        flags = ['--set', 'steps=40'] if 'physarum' in command else []
        for layer in generator.layers:
            if layer.param:
                flags += ['--set', f'{layer.param}=true']
        said = subprocess.run(
            [PROGRAM, *command.split(), '--seed', '11', '--size', 'x'.join(map(str, size)),
             *flags, '--json'], capture_output=True, text=True, check=True)
        return json.loads(said.stdout)

    def test_digests_of_every_generator(self):
        for generator in karst.generators():
            with self.subTest(generator.name):
                size = (48, 40, 20) if generator.depth else (96, 80)
                request = karst.Request(generator.name, seed='11', size=size)
                if generator.param('steps'):
                    request.set(steps=40)
                for layer in generator.layers:
                    if layer.param:
                        request.set(**{layer.param: True})
                report = self.reported(generator, size)
                self.assertEqual(report['parameters'], request.params)
                with request.run(device='cpu', threads=2) as result:
                    compared = 0
                    for layer in report['layers']:
                        if layer['type'] == 'mesh':
                            mesh = result.meshes[layer['name']]
                            self.assertEqual([int(part['digest'], 16) for part in layer['parts']],
                                             [part.digest for part in mesh.parts])
                            self.assertEqual(layer.get('sockets', 0), len(mesh.sockets))
                        else:
                            its = result.documents if layer['type'] == 'document' else result.layers
                            self.assertEqual(int(layer['digest'], 16), its[layer['name']].digest)
                        compared += 1
                    self.assertEqual(compared, len(result.layers) + len(result.meshes) +
                                     len(result.documents))
                    self.assertGreater(compared, 0)
                    self.assertEqual(report['measures'], result.measures)
                    self.assertEqual(report['notes'], result.notes)


class Requests(unittest.TestCase):
    def test_presets_parameters_and_seeds_change_what_comes_out(self):
        def digest(**more):
            return small(**more).run().layers['height'].digest
        digests = [digest(), digest(seed=8), digest(seed='meadow'), digest(preset='canyon'),
                   digest(relief=300), digest(relief='301 '.strip()), digest(cell=4),
                   digest(size=(48, 64))]
        self.assertEqual(len(set(digests)), len(digests))
        self.assertEqual(digest(seed='7'), digests[0])

    def test_only_what_was_added(self):
        request = small()
        request.add_layer('slope')
        request.set_only_added()
        layers = request.run().layers
        self.assertIn('slope', layers)
        self.assertNotIn('preview', layers)

    def test_refusals(self):
        request = small()
        for refused, text in ((lambda: request.set(relif=3), "did you mean 'relief'"),
                              (lambda: request.set(relief=-1), 'relief'),
                              (lambda: request.set_preset('none'), 'alps'),
                              (lambda: request.set_size(0, 4), 'extent'),
                              (lambda: request.set_cell(math.nan), 'cell'),
                              (lambda: request.add_layer('none'), 'height'),
                              (lambda: request.set_map('none', None), 'walls'),
                              (lambda: request.set_shape(None), 'takes no shape'),
                              (lambda: karst.Request('none'), 'heightmap')):
            with self.assertRaisesRegex(karst.Error, text) as caught:
                refused()
            self.assertEqual(caught.exception.name, 'invalid_argument')
        for refused in (lambda: request.set_seed(-1), lambda: request.run(device='gpu'),
                        lambda: request.run(device='cuda:x')):
            with self.assertRaises(ValueError):
                refused()
        with self.assertRaises(TypeError):
            karst.Request('cave3d', entrances=1.5)
        with self.assertRaisesRegex(karst.Error, 'limit|memory') as caught:
            request.run(memory_limit=1000)
        self.assertEqual(caught.exception.name, 'out_of_memory')
        self.assertNotIsInstance(caught.exception, karst.Cancelled)

    def test_memory(self):
        self.assertGreater(small(size=(512, 512)).memory(device='cpu'),
                           small().memory(device='cpu'))

    def test_painted_maps(self):
        def digest(cells, **values):
            request = small()
            request.set_map('food', cells, **values)
            return request.run().layers['height'].digest

        width, height = 16, 12
        paint = array.array('H', (65535 if x > y else 0 for y in range(height)
                                  for x in range(width)))
        view = memoryview(paint).cast('B').cast('H', (height, width))
        painted = digest(view)
        self.assertNotEqual(painted, digest(None))
        self.assertEqual(painted, digest(view.toreadonly()))
        if numpy is not None:
            wide = numpy.zeros((height, width + 3), numpy.uint16)
            wide[:, :width] = view
            self.assertEqual(painted, digest(wide[:, :width]))  # rows with a gap
            self.assertEqual(painted, digest(numpy.asfortranarray(wide[:, :width])))
            self.assertNotEqual(painted, digest(numpy.ascontiguousarray(wide[::-1, :width])))
        for wrong in (paint, memoryview(paint).cast('B'), memoryview(array.array('f', [1.0]))):
            with self.assertRaises(TypeError):
                digest(wrong)

    def test_a_shape_bounds_a_cave(self):
        corners = [(x, y, z) for x in (4, 20) for y in (2, 10) for z in (4, 20)]
        sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        positions = array.array('f', (number for corner in corners for number in corner))
        indices = array.array('I', (i for a, b, c, d in sides for i in (a, b, c, a, c, d)))
        request = karst.Request('cave3d', size=(48, 48, 24), entrances=0)
        without = request.run().layers['volume'].digest
        request.set_shape(positions, indices)
        self.assertNotEqual(request.run().layers['volume'].digest, without)
        request.set_shape(None)
        self.assertEqual(request.run().layers['volume'].digest, without)
        with self.assertRaises(TypeError):
            request.set_shape(array.array('d', positions), indices)


class Results(unittest.TestCase):
    def test_cells_are_seen_in_place(self):
        result = small().run()
        layer = result.layers['height']
        self.assertEqual((layer.kind, layer.meaning, layer.unit), ('map', 'amount', 'm'))
        one, two = memoryview(layer.cells), memoryview(layer.cells)
        self.assertEqual((one.shape, one.format, one.readonly), ((48, 64), 'H', True))
        whole = (ctypes.c_char * one.nbytes).from_address(layer._address)
        self.assertEqual(one.tobytes(), whole.raw)
        self.assertEqual(one, two)
        amounts = memoryview(layer.amounts())
        self.assertEqual((amounts.shape, amounts.format), ((48, 64), 'f'))
        for x, y in ((0, 0), (63, 0), (5, 47)):
            self.assertAlmostEqual(amounts[y, x], one[y, x] * layer.scale + layer.offset, places=3)

    def test_views_outlive_their_result(self):
        destroyed = []
        real = _capi.library.karst_result_destroy
        request = karst.Request('physarum', size=(512, 512), steps=1)
        result = request.run()
        handle = result._handle
        handle._destroy = lambda its: destroyed.append(real(its))
        del handle
        layer = result.layers['trail']
        cells = layer.cells
        part = memoryview(cells)[:10]
        expected = memoryview(cells).tobytes()
        with result:
            pass
        self.assertTrue(result.closed)
        with self.assertRaisesRegex(ValueError, 'closed'):
            result.write('trail', 'none.png')
        self.assertEqual(result.layers, {})
        del result
        gc.collect()
        self.assertEqual(destroyed, [])
        request.set_seed(1)
        other = request.run()  # would take its place
        self.assertEqual(memoryview(cells).tobytes(), expected)
        del cells, layer
        gc.collect()
        self.assertEqual(destroyed, [])
        self.assertEqual(part.tobytes(), expected[:10 * 512 * 4])
        del part
        gc.collect()
        self.assertEqual(destroyed, [0])
        self.assertNotEqual(other.layers['trail'].cells.tobytes(), expected)

    def test_volumes_meshes_sockets_and_documents(self):
        request = karst.Request('cave3d', seed=3, size=(48, 40, 24), entrances=2, tangents=True)
        request.add_layer('shell', 'lods')
        result = request.run()
        volume = result.layers['volume']
        self.assertEqual(volume.shape, (24, 40, 48))
        cells = memoryview(volume.cells)
        self.assertEqual((cells.shape, set(cells.tobytes())), ((24, 40, 48), {0, 255}))
        self.assertEqual(set(result.meshes), {'shell', 'lods'})
        self.assertGreater(len(result.meshes['lods'].parts), 1)
        shell = result.meshes['shell']
        self.assertGreaterEqual(len(shell.sockets), 1)
        self.assertTrue(shell.sockets[0].name.startswith('SOCKET_'))
        self.assertAlmostEqual(math.hypot(*shell.sockets[0].forward), 1, places=5)
        part = shell.parts[0]
        positions, indices = memoryview(part.positions), memoryview(part.indices)
        self.assertEqual(positions.shape, (part.vertex_count, 3))
        self.assertEqual(indices.shape, (part.index_count // 3, 3))
        self.assertEqual(max(i for row in indices.tolist() for i in row), part.vertex_count - 1)
        for x, y, z in positions.tolist():
            self.assertTrue(0 <= x <= 24 and 0 <= y <= 12 and 0 <= z <= 20)
        for normal in memoryview(part.normals).tolist()[:50]:
            self.assertAlmostEqual(math.hypot(*normal), 1, places=3)
        for tangent in memoryview(part.tangents).tolist()[:50]:
            self.assertIn(tangent[3], (-1, 1))
        graph = result.documents['graph']
        self.assertEqual(graph.json(), json.loads(str(graph)))
        self.assertEqual(result.measures['components'], 1)
        self.assertEqual(result.cell, 0.5)

    def test_a_part_without_an_attribute_says_none(self):
        request = small(size=(32, 32))
        request.add_layer('mesh')
        part = request.run().meshes['mesh'].parts[0]
        self.assertIsNone(part.tangents)
        self.assertEqual(part.vertex_count, 32 * 32)

    def test_several_channels(self):
        request = small()
        request.add_layer('normal_8')
        layer = request.run().layers['normal_8']
        self.assertEqual(memoryview(layer.cells).shape, (48, 64, 3))
        with self.assertRaisesRegex(karst.Error, 'channels'):
            layer.amounts()

    @needs_numpy
    def test_numpy_arrays(self):
        layer = small().run().layers['height']
        self.assertIsInstance(layer.cells, numpy.ndarray)
        self.assertEqual(layer.cells.dtype, numpy.uint16)
        self.assertFalse(layer.cells.flags.writeable)
        self.assertEqual(layer.cells.__array_interface__['data'][0], layer._address)
        expected = (layer.cells * layer.scale + layer.offset).astype(numpy.float32)
        self.assertTrue((layer.amounts() == expected).all())

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            result = small().run()
            result.write('height', folder / 'hé.png')
            self.assertEqual((folder / 'hé.png').read_bytes()[:4], b'\x89PNG')
            for name, status in (('none/a.png', 'io_failure'), ('a.nothing', None)):
                with self.assertRaises(karst.Error) as caught:
                    result.write('height', folder / name)
                if status:
                    self.assertEqual(caught.exception.name, status)
            self.assertEqual(os.listdir(folder), ['hé.png'])


class Running(unittest.TestCase):
    def test_progress_rises_to_the_end(self):
        seen = []
        small(size=(256, 256)).run(progress=lambda stage, part: seen.append((stage, part)))
        parts = [part for _, part in seen]
        self.assertEqual(parts, sorted(parts))
        self.assertGreater(len(seen), 3)
        self.assertTrue(all(stage for stage, _ in seen))

    def test_what_progress_raises_cancels_and_comes_back(self):
        class Enough(Exception):
            pass

        def stop(_, part):
            if part > 0.001:
                raise Enough(part)

        for run in (lambda: long().run(progress=stop),
                    lambda: long().start(progress=stop).result()):
            began = time.monotonic()
            with self.assertRaises(Enough):
                run()
            self.assertLess(time.monotonic() - began, 5)

    @unittest.skipIf(sys.platform == 'win32', 'signals')
    def test_an_interrupt_stops_a_run_and_a_wait(self):
        for run in (lambda: long().run(), lambda: long().start().result()):
            timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
            began = time.monotonic()
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                run()
            self.assertLess(time.monotonic() - began, 5)

    def test_a_job(self):
        with small(size=(256, 256)).start(threads=1) as job:
            result = job.result(60)
            self.assertIs(job.result(), result)
            self.assertTrue(job.wait(0))
            self.assertEqual(job.poll(), (True, 0, 1, job.poll().stage))
        expected = small(size=(256, 256)).run().layers['height'].digest
        self.assertEqual(result.layers['height'].digest, expected)

    def test_cancel(self):
        with long().start() as job:
            self.assertFalse(job.wait(0.05))
            with self.assertRaises(TimeoutError):
                job.result(0)
            state = job.poll()
            self.assertEqual((state.finished, state.status), (False, 11))
            job.cancel()
            with self.assertRaises(karst.Cancelled) as caught:
                job.result(20)
            self.assertEqual(caught.exception.name, 'cancelled')
            self.assertEqual(job.poll().status, caught.exception.status)
        with self.assertRaises(karst.Error):
            job.poll()

    def test_a_job_cannot_wait_for_itself(self):
        jobs, raised, ready = [], [], threading.Event()

        def wait(*_):
            ready.wait(20)
            if not raised:
                try:
                    jobs[0].wait()
                except karst.Error as error:
                    raised.append(error.name)

        jobs.append(small().start(progress=wait))
        ready.set()
        jobs[0].result(60)
        self.assertEqual(raised, ['invalid_argument'])

    def test_a_job_that_nobody_holds_is_cancelled(self):
        _request._sweep()
        before = len(_request._alive)
        began = time.monotonic()
        long().start()
        gc.collect()
        while len(_request._alive) > before:
            self.assertLess(time.monotonic() - began, 10)
            time.sleep(0.02)
            _request._sweep()
        self.assertEqual(_request._left, [])

    def test_python_ends_while_jobs_run(self):
        began = time.monotonic()
        said = python(
            'import karst\n'
            'jobs = [karst.Request("physarum", size=(1024, 1024), steps=100000).start('
            'progress=lambda *a: None) for i in range(3)]\n'
            'jobs[0].wait(0.2); print("end")', KARST_LIBRARY=os.environ['KARST_LIBRARY'])
        self.assertEqual((said.returncode, said.stdout, said.stderr), (0, 'end\n', ''))
        self.assertLess(time.monotonic() - began, 20)

    @unittest.skipUnless(hasattr(os, 'fork'), 'there is no fork')
    def test_a_forked_child(self):
        said = python(
            'import gc, os, karst\n'
            'long = karst.Request("physarum", size=(1024, 1024), steps=100000)\n'
            'job, left = long.start(), long.start()\n'
            'del left; gc.collect()\n'  # waits in the parent to be swept
            'if os.fork() == 0:\n'
            '    small = karst.Request("crack", seed=7, size=(64, 48))\n'
            '    print(small.start().result().layers["mask"].digest, flush=True)\n'
            '    try:\n'
            '        job.poll()\n'
            '    except karst.Error as error:\n'
            '        print(error.name, flush=True)\n'
            'else:\n'
            '    print("child", os.waitstatus_to_exitcode(os.wait()[1]), flush=True)\n',
            KARST_LIBRARY=os.environ['KARST_LIBRARY'])
        digest = small('crack').run().layers['mask'].digest
        self.assertEqual(said.stdout.splitlines(), [str(digest), 'forked', 'child 0'], said.stderr)

    def test_threads(self):
        names = [generator.name for generator in karst.generators() if not generator.depth]
        expected = [small(name).run().layers for name in names]
        request = small('crack')  # shared by all threads

        def work(i):
            name = names[i % len(names)]
            one, two = small(name).run(threads=1), request.run(threads=1)
            try:
                karst.Request(f'none{i}')
            except karst.Error as error:  # the text is the thread's own
                assert f"'none{i}'" in str(error)
            return name, one.layers, two.layers['mask'].digest

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for name, layers, digest in pool.map(work, range(24)):
                wanted = expected[names.index(name)]
                self.assertEqual({name: its.digest for name, its in layers.items()},
                                 {name: its.digest for name, its in wanted.items()})
                self.assertEqual(digest, expected[names.index('crack')]['mask'].digest)

    def test_handles_are_given_back(self):
        def memory():
            with open('/proc/self/statm', encoding='utf-8') as file:
                return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')

        if not os.path.exists('/proc/self/statm'):
            self.skipTest('there is no /proc')
        request = karst.Request('physarum', size=(1024, 1024), steps=1)  # 4 MiB a result

        def some(count):
            for _ in range(count):
                with request.start() as job:
                    cells = job.result().layers['trail'].cells
                del cells, job
            return memory()

        first = some(6)
        self.assertLess(some(20) - first, 30 << 20)


class Example(unittest.TestCase):
    def test_the_documentation_shows_it(self):
        program = (PACKAGE / 'terrain.py').read_text(encoding='utf-8')
        shown = ''.join('    ' + line if line.strip() else line
                        for line in program.splitlines(keepends=True))
        self.assertIn(shown, (ROOT / 'docs/engines.md').read_text(encoding='utf-8'))

    def test_terrain(self):
        with tempfile.TemporaryDirectory() as folder:
            said = subprocess.run(
                [sys.executable, '-B', PACKAGE / 'terrain.py', folder], capture_output=True,
                text=True, env={**os.environ, 'PYTHONPATH': str(PACKAGE)}, check=False)
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertRegex(said.stdout, r'in the middle [\d.]+ m; triangles \d+')
            self.assertEqual(sorted(os.listdir(folder)), ['alps.glb', 'alps.png'])


if __name__ == '__main__':
    unittest.main()

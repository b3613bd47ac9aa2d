"""Alps as an image, heights in metres and a mesh: terrain.py [FOLDER]"""
import pathlib
import sys

import karst

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else '.')
request = karst.Request('heightmap', preset='alps', seed=7, size=(505, 505), cell=8, erosion=0.8)
request.add_layer('slope', 'mesh')
request.set(mesh_error=2)
with request.run(progress=lambda stage, part: print(f'{part:4.0%} {stage}')) as terrain:
    heights = terrain.layers['height'].amounts()  # a NumPy array, or a memoryview without NumPy
    print('in the middle', heights[252, 252], 'm; triangles',
          terrain.meshes['mesh'].parts[0].index_count // 3)
    terrain.write('preview', folder / 'alps.png')
    terrain.write('mesh', folder / 'alps.glb')

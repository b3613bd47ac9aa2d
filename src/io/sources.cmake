target_sources(karst_objects PRIVATE
    src/io/exporters.cpp
    src/io/file.cpp
    src/io/formats.cpp
    src/io/glb.cpp
    src/io/io.cpp
    src/io/manifest.cpp
    src/io/mesh_file.cpp
    src/io/mesh_formats.cpp
    src/io/obj.cpp
    src/io/obj_read.cpp
    src/io/obj_text.cpp
    src/io/ply.cpp
    src/io/png.cpp
    src/io/rle.cpp
    src/io/stl.cpp
    src/io/vox.cpp
)

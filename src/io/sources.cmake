target_sources(karst_objects PRIVATE
    src/io/exporters.cpp
    src/io/file.cpp
    src/io/formats.cpp
    src/io/io.cpp
    src/io/manifest.cpp
    src/io/png.cpp
    src/io/rle.cpp
)

target_sources(karst_objects PRIVATE
    src/shape/cube_cases.cpp
    src/shape/distance.cpp
    src/shape/erosion.cpp
    src/shape/mesh_normals.cpp
    src/shape/mesh_uvs.cpp
    src/shape/preview.cpp
    src/shape/regions.cpp
    src/shape/row_runs.cpp
    src/shape/surface.cpp
    src/shape/threshold.cpp
    src/shape/upsample.cpp
    src/shape/volume_distance.cpp
    src/shape/volume_filter.cpp
    src/shape/volume_regions.cpp
    src/shape/watershed.cpp
    src/shape/window.cpp
)

target_sources(karst_objects PRIVATE
    src/shape/distance.cpp
    src/shape/erosion.cpp
    src/shape/preview.cpp
    src/shape/regions.cpp
    src/shape/threshold.cpp
    src/shape/upsample.cpp
    src/shape/voxelise.cpp
    src/shape/watershed.cpp
    src/shape/window.cpp
)

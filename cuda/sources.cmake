target_sources(karst_objects PRIVATE
    cuda/device.cu
    cuda/life.cu
    cuda/life_bytes.cu
    cuda/physarum.cu
    cuda/physarum_tiled.cu
)
target_compile_definitions(karst_objects PRIVATE KARST_WITH_CUDA=1)
target_link_libraries(karst_objects PUBLIC CUDA::cudart_static)

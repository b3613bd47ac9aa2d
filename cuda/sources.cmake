target_sources(karst_objects PRIVATE
    cuda/device.cu
    cuda/erosion.cu
    cuda/life.cu
    cuda/life_bytes.cu
    cuda/life_compiled.cpp
    cuda/nvrtc.cpp
    cuda/on_stream.cu
    ${PROJECT_BINARY_DIR}/kernel_headers.cpp
    cuda/physarum.cu
    cuda/physarum_births.cu
    cuda/physarum_tiled.cu
)
target_compile_definitions(karst_objects PRIVATE KARST_WITH_CUDA=1)
target_link_libraries(karst_objects PUBLIC CUDA::cudart_static)

# The headers of kernels that are compiled while karst runs, as text.
file(READ include/karst/config.hpp KARST_CONFIG_TEXT)
file(READ src/rules/life.hpp KARST_LIFE_TEXT)
file(READ cuda/life_strip.cuh KARST_LIFE_STRIP_TEXT)
configure_file(cuda/kernel_headers.cpp.in ${PROJECT_BINARY_DIR}/kernel_headers.cpp @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    include/karst/config.hpp src/rules/life.hpp cuda/life_strip.cuh)

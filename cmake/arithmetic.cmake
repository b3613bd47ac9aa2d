# The arithmetic contract (docs/determinism.md) as one interface target: no contraction of a*b+c
# into a fused operation, no fast-math, on the host and on the device.
if(CMAKE_CXX_FLAGS MATCHES "-ffast-math|-Ofast|-funsafe-math")
    message(FATAL_ERROR "karst's results are exact; CMAKE_CXX_FLAGS must not hold fast-math")
endif()
add_library(karst_arithmetic INTERFACE)
target_compile_options(karst_arithmetic INTERFACE
    -ffp-contract=off
    $<$<COMPILE_LANGUAGE:CUDA>:--fmad=false>
    $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>) # CMake 3.25 does not know C++20 for CUDA

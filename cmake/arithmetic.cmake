# The arithmetic contract (docs/determinism.md) as one interface target: no contraction of a*b+c
# into a fused operation, no fast-math, on the host and on the device.
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
foreach(variable CMAKE_CXX_FLAGS CMAKE_CXX_FLAGS_${build_type}
                 CMAKE_CUDA_FLAGS CMAKE_CUDA_FLAGS_${build_type})
    if("${${variable}}" MATCHES "fast[-_]math|-Ofast|-funsafe-math|-fassociative-math")
        message(FATAL_ERROR "karst's results are exact; ${variable} is '${${variable}}' and must "
                            "not hold fast-math")
    endif()
endforeach()

# nvcc hands options that it does not know to the host compiler, so the first one reaches both.
# CMake 3.25 does not know C++20 for CUDA and would fall back to C++17 without a word.
add_library(karst_arithmetic INTERFACE)
target_compile_options(karst_arithmetic INTERFACE
    -ffp-contract=off
    $<$<COMPILE_LANGUAGE:CUDA>:--fmad=false>
    $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)

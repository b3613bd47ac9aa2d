# Finds nvcc for KARST_CUDA=AUTO, requires it for ON. Sets KARST_WITH_CUDA.
set(KARST_WITH_CUDA OFF)
if(NOT KARST_CUDA MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "KARST_CUDA is '${KARST_CUDA}'; allowed is AUTO, ON or OFF")
endif()
if(NOT KARST_CUDA STREQUAL "OFF")
    # Machine code for sm_90; every other device from sm_75 on compiles the intermediate code at
    # its first run. Preset cuda has machine code for all.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
        set(CMAKE_CUDA_ARCHITECTURES 75-virtual 90)
    endif()
    if(NOT DEFINED CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
        find_program(KARST_NVCC nvcc HINTS /usr/local/cuda/bin)
        mark_as_advanced(KARST_NVCC)
        if(KARST_NVCC)
            set(CMAKE_CUDA_COMPILER ${KARST_NVCC})
        endif()
    endif()
    include(CheckLanguage)
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
        enable_language(CUDA)
        find_package(CUDAToolkit REQUIRED)
        set(KARST_WITH_CUDA ON)
        # A rule that calls host-only code must not compile for the device.
        target_compile_options(karst_arithmetic INTERFACE
            $<$<COMPILE_LANGUAGE:CUDA>:--Werror=cross-execution-space-call>
            $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr>)
    elseif(KARST_CUDA STREQUAL "ON")
        message(FATAL_ERROR "KARST_CUDA=ON, but no CUDA compiler was found (is nvcc on the PATH?)")
    else()
        message(STATUS "karst: no CUDA compiler, building for the CPU only")
    endif()
endif()

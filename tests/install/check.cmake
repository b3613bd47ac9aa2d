# Installs karst, moves the installation, and builds and runs a consumer project against it.
#     cmake -DSOURCE=... -DWORK=... -DCXX=... -DGENERATOR=... [-DBUILD=... -DCUDA=...] -P check.cmake
# BUILD is the build to install, CUDA whether it has that. Without it, karst is first built as a shared library inside
# another project (tests/embed), on x86-64 for a processor with fused multiply-add, so that
# tests/checks/no_fma.sh can tell whether any crept in.
cmake_minimum_required(VERSION 3.25)

function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output
                    ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${ARGV}\n${output}\nstatus ${status}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK}/prefix ${WORK}/moved ${WORK}/consumer)
set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX})
find_program(CCACHE ccache)
if(CCACHE)
    list(APPEND configure -DCMAKE_CXX_COMPILER_LAUNCHER=${CCACHE})
endif()
if(NOT BUILD)
    set(BUILD ${WORK}/embed)
    set(flags "")
    if(CMAKE_HOST_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        set(flags "-O1 -march=haswell") # enough for what is looked for
        file(STRINGS /proc/cpuinfo fused REGEX "^flags.* fma .* avx2 " LIMIT_COUNT 1)
        if(NOT fused)
            set(foreign ON) # this processor cannot run it
        endif()
    endif()
    run(${configure} -S ${SOURCE}/tests/embed -B ${BUILD} -DKARST_SOURCE_DIR=${SOURCE}
        -DBUILD_SHARED_LIBS=ON -DKARST_CUDA=OFF -DKARST_INSTALL=ON -DCMAKE_BUILD_TYPE=None
        -DCMAKE_UNITY_BUILD=ON "-DCMAKE_CXX_FLAGS=${flags}")
    run(${CMAKE_COMMAND} --build ${BUILD} --target embedder)
    if(NOT foreign)
        run(${BUILD}/embedder)
    endif()
endif()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
file(RENAME ${WORK}/prefix ${WORK}/moved)
file(GLOB_RECURSE package_files ${WORK}/moved/*.cmake)
foreach(file IN LISTS package_files)
    file(READ ${file} text)
    foreach(path ${SOURCE} ${BUILD} ${WORK}) # at the start of a word, /usr/karst is not /karst
        if(text MATCHES "[\"; (]${path}/")
            message(FATAL_ERROR "${file} holds the path ${path}")
        endif()
    endforeach()
endforeach()

file(GLOB_RECURSE cuda_header ${WORK}/moved/cuda.hpp)
if(CUDA AND NOT cuda_header)
    message(FATAL_ERROR "a library with CUDA was installed without karst/cuda.hpp")
elseif(cuda_header AND NOT CUDA)
    message(FATAL_ERROR "a library without CUDA was installed with ${cuda_header}")
endif()

run(${configure} -S ${SOURCE}/tests/install -B ${WORK}/consumer
    -DCMAKE_PREFIX_PATH=${WORK}/moved)
run(${CMAKE_COMMAND} --build ${WORK}/consumer)
if(NOT foreign)
    run(${WORK}/consumer/consumer)
    message("${output}")
endif()

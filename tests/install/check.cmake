# Installs karst, moves the installation, and builds and runs consumers against it: a project by
# find_package, a source by pkg-config.
#     cmake -DSOURCE=... -DWORK=... -DCXX=... -DGENERATOR=... [-DBUILD=...] -P check.cmake
# BUILD is the build to install. Without it, karst is first built as a shared library inside
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
file(GLOB_RECURSE package_files ${WORK}/moved/*.cmake ${WORK}/moved/*.pc)
foreach(file IN LISTS package_files)
    file(READ ${file} text)
    foreach(path ${SOURCE} ${BUILD} ${WORK}) # at the start of a word, /usr/karst is not /karst
        if(text MATCHES "[\"; (=]${path}/")
            message(FATAL_ERROR "${file} holds the path ${path}")
        endif()
    endforeach()
endforeach()

set(components library)
file(GLOB program ${WORK}/moved/bin/karst*)
if(program)
    list(APPEND components tool)
endif()
set(configure_consumer ${configure} -S ${SOURCE}/tests/install -B ${WORK}/consumer
    -DCMAKE_PREFIX_PATH=${WORK}/moved)
execute_process(COMMAND ${configure_consumer} "-DCOMPONENTS=library;kitchen"
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0 OR NOT output MATCHES "no[ \n]+component[ \n]+'kitchen'")
    message(FATAL_ERROR "asked for a component that does not exist: status ${status}\n${output}")
endif()
run(${configure_consumer} "-DCOMPONENTS=${components}")
run(${CMAKE_COMMAND} --build ${WORK}/consumer)
if(NOT foreign)
    run(${WORK}/consumer/consumer)
    message("${output}")
endif()

find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
    file(GLOB_RECURSE karst_pc ${WORK}/moved/karst.pc)
    cmake_path(GET karst_pc PARENT_PATH pc_dir)
    set(ENV{PKG_CONFIG_PATH} ${pc_dir})
    set(how --cflags --libs)
    file(GLOB_RECURSE shared ${WORK}/moved/libkarst.so)
    if(shared)
        cmake_path(GET shared PARENT_PATH library_dir)
        set(ENV{LD_LIBRARY_PATH} ${library_dir})
    else()
        list(APPEND how --static)
    endif()
    run(${PKG_CONFIG} ${how} karst)
    # All of a static library, so that no library is missing of those that it needs anywhere.
    string(REPLACE "-lkarst " "-Wl,--whole-archive -lkarst -Wl,--no-whole-archive " flags "${output} ")
    separate_arguments(flags UNIX_COMMAND "${flags}")
    run(${CXX} -std=c++20 ${SOURCE}/tests/install/main.cpp -o ${WORK}/consumer/by_pkg_config ${flags})
    if(NOT foreign)
        run(${WORK}/consumer/by_pkg_config)
    endif()
else()
    message("there is no pkg-config: karst.pc was not tried")
endif()

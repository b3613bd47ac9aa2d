# Hosts of the C interface that test it: programs of their own, as what they do concerns a whole
# process.
enable_language(C)
add_executable(karst_memory_runs_out capi/memory_runs_out.cpp)
target_link_libraries(karst_memory_runs_out PRIVATE karst_objects)
add_executable(karst_capi_threads capi/threads.cpp)
target_link_libraries(karst_capi_threads PRIVATE karst_objects)
add_executable(karst_plugin capi/plugin.c)
target_include_directories(karst_plugin PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(karst_plugin PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(karst_plugin PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON)
target_compile_options(karst_plugin PRIVATE -Wall -Wextra -Wpedantic -Werror)
add_dependencies(karst_plugin karst_c)
if(KARST_WITH_CUDA)
    add_executable(karst_on_stream capi/on_stream.c)
    target_link_libraries(karst_on_stream PRIVATE karst::karst_c CUDA::cudart_static)
    set_target_properties(karst_on_stream PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON)
    add_test(NAME capi_on_stream COMMAND karst_on_stream)
    set_tests_properties(capi_on_stream PROPERTIES LABELS capi SKIP_RETURN_CODE 77)
endif()

add_test(NAME capi_memory_runs_out COMMAND karst_memory_runs_out 17)
add_test(NAME capi_threads COMMAND karst_capi_threads)
add_test(NAME capi_plugin COMMAND karst_plugin $<TARGET_FILE:karst_c>)
set_tests_properties(capi_memory_runs_out capi_threads capi_plugin PROPERTIES LABELS capi)

find_program(KARST_ABIDW abidw)
find_program(KARST_ABIDIFF abidiff)
if(KARST_ABIDW AND KARST_ABIDIFF AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    add_test(NAME capi_abi
             COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/capi/abi.sh ${CMAKE_C_COMPILER} ${KARST_ABIDW}
                     ${KARST_ABIDIFF} ${PROJECT_SOURCE_DIR}/include/karst/karst.h
                     ${CMAKE_CURRENT_SOURCE_DIR}/capi/karst_c.abi)
    set_tests_properties(capi_abi PROPERTIES LABELS capi)
endif()
# Of the library itself: nothing but the functions of the header.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    add_test(NAME capi_symbols
             COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/capi/symbols.sh $<TARGET_FILE:karst_c>
                     ${PROJECT_SOURCE_DIR}/include/karst/karst.h)
    set_tests_properties(capi_symbols PROPERTIES LABELS capi)
endif()
if(KARST_BUILD_EXAMPLES AND PROJECT_IS_TOP_LEVEL)
    add_executable(karst_cpp_host capi/cpp_host.cpp)
    target_link_libraries(karst_cpp_host PRIVATE karst::karst)
    add_test(NAME capi_hosts
             COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/capi/hosts.sh $<TARGET_FILE:karst_cli>
                     $<TARGET_FILE:example_cave_in_c> $<TARGET_FILE:example_engine_host>
                     $<TARGET_FILE:karst_cpp_host>)
    set_tests_properties(capi_hosts PROPERTIES LABELS capi)
endif()

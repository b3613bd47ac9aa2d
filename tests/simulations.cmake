# The simulations and generators against an independent program, a table of digests and each other.
function(karst_test_program name)
    add_executable(${name} ${ARGN})
    target_link_libraries(${name} PRIVATE karst_objects)
    target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
endfunction()

# golden.txt: `cmake --build BUILD --target update-golden` writes it.
set(golden_table ${CMAKE_CURRENT_SOURCE_DIR}/golden.txt)
karst_test_program(karst_golden golden_main.cpp golden.cpp)
add_custom_target(update-golden COMMAND karst_golden --update ${golden_table} VERBATIM)
add_test(NAME golden COMMAND karst_golden --check ${golden_table})
set_tests_properties(golden PROPERTIES LABELS golden PROCESSORS 2 TIMEOUT 600)

if(WIN32)
    return() # what follows asks for more than Windows has
endif()

# Life against bgolly, where it is installed.
karst_test_program(karst_bgolly bgolly_test.cpp)
add_test(NAME bgolly COMMAND karst_bgolly)
set_tests_properties(bgolly PROPERTIES LABELS oracle SKIP_RETURN_CODE 77 TIMEOUT 300)

# Every device and engine that is here gives the same arrays.
karst_test_program(karst_parity parity.cpp parity_rules.cpp parity_tuning.cpp golden.cpp
                   erosion_cases.cpp)
add_test(NAME parity COMMAND karst_parity)
set_tests_properties(parity PROPERTIES LABELS parity PROCESSORS 2 TIMEOUT 1200)

# Simulations on streams that are not karst's. Without a device it skips.
if(KARST_WITH_CUDA)
    karst_test_program(karst_cuda_interop cuda_interop.cpp)
    add_test(NAME cuda_interop COMMAND karst_cuda_interop)
    set_tests_properties(cuda_interop PROPERTIES LABELS parity SKIP_RETURN_CODE 77 TIMEOUT 300)
endif()

# Hosts of the C interface: the Python package with and without NumPy, and the add-on in Blender.
# Sanitizers would have to be loaded before Python.
if(KARST_SANITIZE OR NOT KARST_PYTHON3)
    return()
endif()
set(environment KARST_LIBRARY=$<TARGET_FILE:karst_c>)
set(pythons python ${KARST_PYTHON3})
# The first one of PATH may be another than that which has the system's NumPy.
if(EXISTS /usr/bin/python3 AND NOT KARST_PYTHON3 STREQUAL "/usr/bin/python3")
    list(APPEND pythons python_system /usr/bin/python3)
endif()
while(pythons)
    list(POP_FRONT pythons name program)
    add_test(NAME ${name} COMMAND ${program} ${CMAKE_CURRENT_SOURCE_DIR}/python_test.py)
    set_tests_properties(${name} PROPERTIES LABELS host PROCESSORS 2 TIMEOUT 600 ENVIRONMENT
        "${environment};KARST_PROGRAM=$<TARGET_FILE:karst_cli>;KARST_CXX=${CMAKE_CXX_COMPILER}")
endwhile()

add_test(NAME blender
         COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/blender_test.sh ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(blender PROPERTIES
    LABELS host SKIP_RETURN_CODE 77 PROCESSORS 2 TIMEOUT 600 ENVIRONMENT "${environment}")

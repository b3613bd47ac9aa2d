# Hosts show what karst made, and scripts for engines that cannot run here are checked as far as
# they can be; examples/CMakeLists.txt has the test of the viewer. What is not installed is skipped.
if(KARST_SANITIZE)
    return()
endif()
set(hosts ${CMAKE_CURRENT_SOURCE_DIR}/hosts)
find_program(KARST_NODE NAMES node nodejs)
mark_as_advanced(KARST_NODE)
if(KARST_NODE)
    add_test(NAME host_web
             COMMAND ${KARST_NODE} ${CMAKE_CURRENT_SOURCE_DIR}/web/run.mjs $<TARGET_FILE:karst_cli>
                     "${KARST_JUDGES}" ${CMAKE_CURRENT_BINARY_DIR}/host_web)
    set_tests_properties(host_web PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 180 LABELS host)
endif()
add_test(NAME host_godot
         COMMAND bash ${judges}/node.sh parse_gdscript.js "${KARST_JUDGES}"
                 ${PROJECT_SOURCE_DIR}/examples/godot/karst_import.gd)
add_test(NAME host_unity COMMAND bash ${hosts}/unity.sh ${PROJECT_SOURCE_DIR})
set_tests_properties(host_godot host_unity PROPERTIES SKIP_RETURN_CODE 77 LABELS host)
if(KARST_PYTHON3)
    add_test(NAME host_unreal
             COMMAND ${KARST_PYTHON3} ${hosts}/unreal_test.py ${PROJECT_SOURCE_DIR}
                     $<TARGET_FILE:karst_cli> ${CMAKE_CURRENT_BINARY_DIR}/host_unreal)
    set_tests_properties(host_unreal PROPERTIES LABELS host)
endif()

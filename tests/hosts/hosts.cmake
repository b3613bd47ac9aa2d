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
set_tests_properties(host_godot PROPERTIES SKIP_RETURN_CODE 77 LABELS host)
if(KARST_PYTHON3)
    foreach(engine unity unreal)
        add_test(NAME host_${engine}
                 COMMAND ${KARST_PYTHON3} ${hosts}/${engine}_test.py ${PROJECT_SOURCE_DIR}
                         $<TARGET_FILE:karst_cli> ${CMAKE_CURRENT_BINARY_DIR}/host_${engine})
        set_tests_properties(host_${engine} PROPERTIES SKIP_RETURN_CODE 77 LABELS host)
    endforeach()
endif()

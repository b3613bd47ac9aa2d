# Hosts show what karst made: browsers, an engine that calls the C interface. A host that is not
# installed is skipped.
find_program(KARST_NODE NAMES node nodejs)
mark_as_advanced(KARST_NODE)
if(KARST_NODE AND NOT KARST_SANITIZE)
    add_test(NAME host_web
             COMMAND ${KARST_NODE} ${CMAKE_CURRENT_SOURCE_DIR}/web/run.mjs $<TARGET_FILE:karst_cli>
                     "${KARST_JUDGES}" ${CMAKE_CURRENT_BINARY_DIR}/host_web)
    set_tests_properties(host_web PROPERTIES LABELS host SKIP_RETURN_CODE 77 TIMEOUT 180)
endif()

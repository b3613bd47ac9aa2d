# Debian packages of the installation's components, made by cpack (scripts/package): libkarstX.Y
# with the shared library, libkarst-dev, and karst with the program, which needs no library of ours.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME karst)
set(CPACK_PACKAGE_VENDOR "the karst authors")
if(NOT DEFINED CPACK_PACKAGE_CONTACT) # whoever builds the packages answers for them
    set(CPACK_PACKAGE_CONTACT "the karst authors <root@localhost>")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL lib dev tool)

set(lib libkarst${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_DEBIAN_LIB_PACKAGE_NAME ${lib})
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libkarst-dev)
set(CPACK_DEBIAN_TOOL_PACKAGE_NAME karst)
set(CPACK_DEBIAN_LIB_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION graphics)
set(CPACK_COMPONENT_LIB_DESCRIPTION "The shared library.")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers, and what find_package of CMake and pkg-config read.")
set(CPACK_COMPONENT_TOOL_DESCRIPTION "The program, its manual page and completions for shells.")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF) # a link to the library alone
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${lib} (= ${PROJECT_VERSION}-1)")

# Every copy comes with the licence; only packages have these.
foreach(component lib dev tool)
    string(TOUPPER ${component} COMPONENT)
    install(FILES LICENSE RENAME copyright COMPONENT ${component} EXCLUDE_FROM_ALL
            DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME})
endforeach()
include(CPack)

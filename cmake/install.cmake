# The installed package: library, headers, program, and what find_package(karst CONFIG) reads.
# It may be moved after the installation.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/karst)
install(TARGETS karst EXPORT karst-targets)
install(DIRECTORY include/karst TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(EXPORT karst-targets NAMESPACE karst:: DESTINATION ${package_dir})
if(TARGET karst_cli)
    install(TARGETS karst_cli)
endif()

# A static library leaves its own libraries to whoever links it.
set(KARST_PACKAGE_DEPENDENCIES "")
get_target_property(library_type karst TYPE)
if(library_type STREQUAL "STATIC_LIBRARY")
    set(KARST_PACKAGE_DEPENDENCIES
        "find_dependency(Threads)\nfind_dependency(PNG)\nfind_dependency(meshoptimizer)\n")
    if(KARST_WITH_CUDA)
        string(APPEND KARST_PACKAGE_DEPENDENCIES "find_dependency(CUDAToolkit)\n")
    endif()
endif()
configure_package_config_file(cmake/karst-config.cmake.in karst-config.cmake
    INSTALL_DESTINATION ${package_dir}
    NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(karst-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
    ${CMAKE_CURRENT_BINARY_DIR}/karst-config.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/karst-config-version.cmake
    DESTINATION ${package_dir})

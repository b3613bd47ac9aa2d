# The installed package: library, headers, program, and what find_package(karst CONFIG) reads.
# It may be moved after the installation.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/karst)
install(TARGETS karst karst_c EXPORT karst-targets)
# Without CUDA the library lacks what this header declares.
set(left_out "")
if(NOT KARST_WITH_CUDA)
    set(left_out PATTERN cuda.hpp EXCLUDE)
endif()
install(DIRECTORY include/karst TYPE INCLUDE FILES_MATCHING ${left_out} PATTERN "*.hpp"
        PATTERN "*.h")
install(EXPORT karst-targets NAMESPACE karst:: DESTINATION ${package_dir})
if(TARGET karst_cli)
    install(TARGETS karst_cli)

    # The manual page and the completions are what the program says of itself.
    set(man_page ${PROJECT_BINARY_DIR}/karst.1)
    set(completions ${PROJECT_BINARY_DIR}/completions)
    add_custom_command(OUTPUT ${man_page} ${completions}/karst ${completions}/_karst
                              ${completions}/karst.fish
        COMMAND ${CMAKE_COMMAND} -E make_directory ${completions}
        COMMAND karst_cli man > ${man_page}
        COMMAND karst_cli completion bash > ${completions}/karst
        COMMAND karst_cli completion zsh > ${completions}/_karst
        COMMAND karst_cli completion fish > ${completions}/karst.fish
        DEPENDS karst_cli VERBATIM)
    add_custom_target(karst_man ALL DEPENDS ${man_page})
    install(FILES ${man_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${completions}/karst
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${completions}/_karst DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${completions}/karst.fish
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# A static library leaves its own libraries to whoever links it.
set(KARST_PACKAGE_DEPENDENCIES "")
get_target_property(library_type karst TYPE)
if(library_type STREQUAL "STATIC_LIBRARY")
    set(KARST_PACKAGE_DEPENDENCIES
        "find_dependency(Threads)\nfind_dependency(PNG)\nfind_dependency(OpenEXR CONFIG)\nfind_dependency(meshoptimizer)\n")
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

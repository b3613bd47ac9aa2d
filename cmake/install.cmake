# The installed package: library, headers, program, and what find_package(karst CONFIG) and pkg-config
# read. It may be moved after the installation. Its components, for cmake --install --component and
# packages: "lib" is what programs run with, "dev" what they are compiled with, "tool" the program.
include(CMakePackageConfigHelpers)

get_target_property(library_type karst TYPE)
if(library_type STREQUAL "STATIC_LIBRARY")
    set(kind static)
else()
    set(kind shared)
endif()
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/karst)
install(TARGETS karst EXPORT karst-targets
    RUNTIME COMPONENT lib
    LIBRARY COMPONENT lib NAMELINK_COMPONENT dev
    ARCHIVE COMPONENT dev)
install(TARGETS karst_c EXPORT karst-c-targets
    RUNTIME COMPONENT lib
    LIBRARY COMPONENT lib NAMELINK_COMPONENT dev
    ARCHIVE COMPONENT dev)
# Without CUDA the library lacks what this header declares.
set(left_out "")
if(NOT KARST_WITH_CUDA)
    set(left_out PATTERN cuda.hpp EXCLUDE)
endif()
install(DIRECTORY include/karst TYPE INCLUDE COMPONENT dev
        FILES_MATCHING ${left_out} PATTERN "*.hpp" PATTERN "*.h")
# A static and a shared library may be installed into one place, from two builds.
install(EXPORT karst-targets NAMESPACE karst:: DESTINATION ${package_dir}
        FILE karst-${kind}-targets.cmake COMPONENT dev)
install(EXPORT karst-c-targets NAMESPACE karst:: DESTINATION ${package_dir}
        FILE karst-c-targets.cmake COMPONENT dev)
if(TARGET karst_cli)
    install(TARGETS karst_cli COMPONENT tool)

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
    install(FILES ${man_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tool)
    install(FILES ${completions}/karst
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tool)
    install(FILES ${completions}/_karst
            DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT tool)
    install(FILES ${completions}/karst.fish
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tool)
endif()

# What find_package(karst COMPONENTS tool) offers, seen from the prefix.
set(KARST_PROGRAM ${CMAKE_INSTALL_BINDIR}/karst${CMAKE_EXECUTABLE_SUFFIX})
configure_package_config_file(cmake/karst-config.cmake.in karst-config.cmake
    INSTALL_DESTINATION ${package_dir} PATH_VARS KARST_PROGRAM
    NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(karst-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
    ${CMAKE_CURRENT_BINARY_DIR}/karst-config.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/karst-config-version.cmake
    DESTINATION ${package_dir} COMPONENT dev)

# For pkg-config. A static library leaves its own libraries to whoever links it, who says --static.
set(pkgconfig_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
foreach(name PREFIX FULL_INCLUDEDIR FULL_LIBDIR)
    file(RELATIVE_PATH KARST_${name} ${pkgconfig_dir} ${CMAKE_INSTALL_${name}})
    string(REGEX REPLACE "/$" "" KARST_${name} "${KARST_${name}}")
endforeach()
set(KARST_REQUIRES "")
set(KARST_LIBS "")
if(kind STREQUAL "static")
    set(KARST_REQUIRES "libpng OpenEXR") # Debian's meshoptimizer has no file for pkg-config
    set(KARST_LIBS "-lmeshoptimizer -lstdc++ -lm -pthread")
    if(KARST_WITH_CUDA)
        string(APPEND KARST_LIBS " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt")
    endif()
endif()
configure_file(cmake/karst.pc.in karst.pc @ONLY)
configure_file(cmake/karst_c.pc.in karst_c.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/karst.pc ${CMAKE_CURRENT_BINARY_DIR}/karst_c.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev)

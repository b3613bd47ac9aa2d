# Toolchain: programs and DLLs for 64-bit Windows, made and tried on Debian. The libraries are what
# scripts/setup-mingw builds; everything is linked in, so that no DLL of the compiler is needed.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix) # that variant has std::thread
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_SHARED_LINKER_FLAGS_INIT -static)
set(ZLIB_USE_STATIC_LIBS ON)

get_filename_component(libraries "${CMAKE_CURRENT_LIST_DIR}/../build/mingw-libraries" ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH "${libraries}" /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

find_program(KARST_WINE NAMES wine64 wine PATHS /usr/lib/wine)
mark_as_advanced(KARST_WINE)
if(KARST_WINE)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${KARST_WINE})
endif()

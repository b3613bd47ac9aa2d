# Warnings for karst's own code, and flags that only developers need.
option(KARST_WERROR "Treat warnings as errors" OFF)
add_library(karst_warnings INTERFACE)
target_compile_options(karst_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion>
    $<$<COMPILE_LANGUAGE:CUDA>:-Wall -Wextra -Wno-unused-parameter>
    # g++ 12 warns about its own std::string at -O2 and above (GCC PR 105651).
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>)
# A joined source includes what it is made of: no class is seen by another one.
if((CMAKE_UNITY_BUILD OR KARST_JOIN_PROGRAM) AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(karst_warnings INTERFACE
        $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
elseif((CMAKE_UNITY_BUILD OR KARST_JOIN_PROGRAM) AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # It takes a name in another source's anonymous namespace for one that is hidden.
    target_compile_options(karst_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow>)
endif()

# What ccache asks for, to keep what includes a precompiled header.
add_library(karst_precompiled INTERFACE)
target_compile_options(karst_precompiled INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>
    "$<$<COMPILE_LANG_AND_ID:CXX,Clang,AppleClang>:SHELL:-Xclang -fno-pch-timestamp>")
if(KARST_WERROR)
    target_compile_options(karst_warnings INTERFACE
        $<$<COMPILE_LANGUAGE:CXX>:-Werror>
        $<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings>)
endif()

set(KARST_SANITIZE "" CACHE STRING "Sanitizers for everything here, for example address,undefined")
if(KARST_SANITIZE)
    add_compile_options(
        "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${KARST_SANITIZE};-fno-sanitize-recover=all>"
        "$<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>")
    add_link_options(-fsanitize=${KARST_SANITIZE})
    if(KARST_SANITIZE MATCHES "address,undefined")
        # A quarter of the time of compiling; AddressSanitizer sees the access that they announce.
        add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,object-size,vptr>)
    endif()
endif()

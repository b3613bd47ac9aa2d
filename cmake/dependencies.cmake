# Libraries, all from the distribution. stb and xxHash are header-only here and have no package
# file of their own; tinyobjloader is used by its header alone.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PNG REQUIRED)
find_package(OpenEXR 3.1 CONFIG REQUIRED)
find_package(meshoptimizer REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_path(STB_INCLUDE_DIR stb_easy_font.h PATH_SUFFIXES stb REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_path(TINYOBJLOADER_INCLUDE_DIR tiny_obj_loader.h REQUIRED)

# Headers that only karst's own sources see.
add_library(karst_headers INTERFACE)
target_include_directories(karst_headers SYSTEM INTERFACE
    ${STB_INCLUDE_DIR} ${XXHASH_INCLUDE_DIR} ${TINYOBJLOADER_INCLUDE_DIR}
    $<TARGET_PROPERTY:nlohmann_json::nlohmann_json,INTERFACE_INCLUDE_DIRECTORIES>)

# Programs of others judge the files that karst writes, where they are installed. KARST_JUDGES is a
# folder in which scripts/setup-judges put node_modules.
set(KARST_JUDGES "$ENV{KARST_JUDGES}" CACHE PATH "Folder with the node_modules of the judges")
add_executable(karst_mesh_samples judges/mesh_samples.cpp)
target_link_libraries(karst_mesh_samples PRIVATE karst::karst)
target_include_directories(karst_mesh_samples PRIVATE ${PROJECT_SOURCE_DIR})
set(folder ${CMAKE_CURRENT_BINARY_DIR}/mesh_samples)
file(MAKE_DIRECTORY ${folder})
add_test(NAME judge_samples COMMAND karst_mesh_samples ${folder})
set_tests_properties(judge_samples PROPERTIES LABELS judge FIXTURES_SETUP mesh_samples)

set(judges ${CMAKE_CURRENT_SOURCE_DIR}/judges)
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/crack_graphs)
add_test(NAME judge_crack_graph
         COMMAND bash ${judges}/crack_graph.sh $<TARGET_FILE:karst_cli>
                 ${CMAKE_CURRENT_BINARY_DIR}/crack_graphs)
set_tests_properties(judge_crack_graph PROPERTIES LABELS judge SKIP_RETURN_CODE 77)
add_test(NAME judge_gltf
         COMMAND bash ${judges}/node.sh validate_gltf.js "${KARST_JUDGES}" ${folder}/ball.glb
                 ${folder}/parts.glb ${folder}/large.glb)
add_test(NAME judge_assimp COMMAND bash ${judges}/assimp.sh ${folder})
add_test(NAME judge_admesh COMMAND bash ${judges}/admesh.sh ${folder})
set_tests_properties(judge_gltf judge_assimp judge_admesh PROPERTIES
    LABELS judge SKIP_RETURN_CODE 77 FIXTURES_REQUIRED mesh_samples)

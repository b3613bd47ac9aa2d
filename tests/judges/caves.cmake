# Judges of caves and ground that the program generated.
karst_test_program(karst_cave_expectations judges/cave_expectations.cpp)
target_include_directories(karst_cave_expectations PRIVATE ${PROJECT_SOURCE_DIR})
set(judges ${CMAKE_CURRENT_SOURCE_DIR}/judges)
set(folder ${CMAKE_CURRENT_BINARY_DIR}/cave_samples)
file(MAKE_DIRECTORY ${folder})
add_test(NAME judge_cave_samples
         COMMAND bash ${judges}/cave_samples.sh $<TARGET_FILE:karst_cli>
                 $<TARGET_FILE:karst_cave_expectations> ${folder})
set_tests_properties(judge_cave_samples PROPERTIES LABELS judge FIXTURES_SETUP cave_samples)
add_test(NAME judge_caves_cgal
         COMMAND bash ${judges}/cgal.sh ${PROJECT_BINARY_DIR} ${folder} ${judge})
add_test(NAME judge_caves_admesh COMMAND bash ${judges}/admesh.sh ${folder})
set_tests_properties(judge_caves_cgal judge_caves_admesh PROPERTIES
    LABELS judge SKIP_RETURN_CODE 77 FIXTURES_REQUIRED cave_samples)
# Each builds the judge.
set_tests_properties(judge_caves_cgal judge_surfaces PROPERTIES RESOURCE_LOCK mesh_judge)
set_tests_properties(judge_caves_cgal PROPERTIES TIMEOUT 600)

set(folder ${CMAKE_CURRENT_BINARY_DIR}/import_samples)
file(MAKE_DIRECTORY ${folder})
add_test(NAME judge_import_samples
         COMMAND bash ${judges}/import_samples.sh $<TARGET_FILE:karst_cli> ${folder})
set_tests_properties(judge_import_samples PROPERTIES LABELS judge FIXTURES_SETUP import_samples)
add_test(NAME judge_import_gltf
         COMMAND bash ${judges}/node.sh validate_gltf.js "${KARST_JUDGES}" ${folder}/shell.glb
                 ${folder}/solid.glb ${folder}/ground.glb)
add_test(NAME judge_import_vox
         COMMAND bash ${judges}/node.sh read_vox.js "${KARST_JUDGES}" ${folder}/cave.vox
                 ${folder}/wide.vox)
add_test(NAME judge_import_blender COMMAND bash ${judges}/blender.sh ${folder})
set_tests_properties(judge_import_gltf judge_import_vox judge_import_blender PROPERTIES
    LABELS judge SKIP_RETURN_CODE 77 FIXTURES_REQUIRED import_samples)

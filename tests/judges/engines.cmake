# Engines and readers of images judge heights that the program wrote for them.
set(judges ${CMAKE_CURRENT_SOURCE_DIR}/judges)
set(folder ${CMAKE_CURRENT_BINARY_DIR}/engine_samples)
file(MAKE_DIRECTORY ${folder})
add_test(NAME judge_engine_samples
         COMMAND bash ${judges}/engine_samples.sh $<TARGET_FILE:karst_cli> ${folder})
set_tests_properties(judge_engine_samples PROPERTIES LABELS judge FIXTURES_SETUP engine_samples)
add_test(NAME judge_engines_read COMMAND bash ${judges}/engines.sh ${folder})
add_test(NAME judge_engines_blender COMMAND bash ${judges}/engine_programs.sh blender ${folder})
add_test(NAME judge_engines_godot COMMAND bash ${judges}/engine_programs.sh godot ${folder})
set_tests_properties(judge_engines_read judge_engines_blender judge_engines_godot PROPERTIES
    LABELS judge SKIP_RETURN_CODE 77 FIXTURES_REQUIRED engine_samples)

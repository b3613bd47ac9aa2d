# CGAL judges surfaces, where it is installed (scripts/setup-judges). Its headers take long to
# compile, so only the test builds the judge.
karst_test_program(karst_surface_samples judges/surface_samples.cpp)
target_include_directories(karst_surface_samples PRIVATE ${PROJECT_SOURCE_DIR})
set(folder ${CMAKE_CURRENT_BINARY_DIR}/surface_samples)
file(MAKE_DIRECTORY ${folder})
add_test(NAME judge_surface_samples COMMAND karst_surface_samples ${folder})
set_tests_properties(judge_surface_samples PROPERTIES LABELS judge FIXTURES_SETUP surface_samples)

set(judge "")
find_package(CGAL QUIET)
if(CGAL_FOUND AND NOT KARST_SANITIZE)
    add_executable(karst_mesh_judge EXCLUDE_FROM_ALL judges/mesh_judge.cpp)
    target_link_libraries(karst_mesh_judge PRIVATE CGAL::CGAL)
    target_compile_options(karst_mesh_judge PRIVATE -O1)
    target_compile_features(karst_mesh_judge PRIVATE cxx_std_17)
    set(judge karst_mesh_judge $<TARGET_FILE:karst_mesh_judge>)
endif()
add_test(NAME judge_surfaces
         COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/judges/cgal.sh ${PROJECT_BINARY_DIR} ${folder}
                 ${judge})
set_tests_properties(judge_surfaces PROPERTIES
    LABELS judge SKIP_RETURN_CODE 77 FIXTURES_REQUIRED surface_samples TIMEOUT 600)

target_sources(karst_objects PRIVATE
    generators/cave.cpp
    generators/cave_generate.cpp
    generators/cave_grid.cpp
    generators/cave_join.cpp
    generators/cave_layers.cpp
    generators/cave_network.cpp
    generators/cave_plan.cpp
    generators/cave_resample.cpp
    generators/cave_soup.cpp
    generators/physarum.cpp
    generators/registry.cpp
)

target_sources(karst_objects PRIVATE
    generators/heightmap.cpp
    generators/physarum.cpp
    generators/registry.cpp
    generators/terrain_ground.cpp
    generators/terrain_network.cpp
    generators/terrain_pyramid.cpp
)

target_sources(karst_objects PRIVATE
    generators/physarum.cpp
    generators/registry.cpp
)

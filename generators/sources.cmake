target_sources(karst_objects PRIVATE
    generators/crack.cpp
    generators/crack_fracture.cpp
    generators/crack_generate.cpp
    generators/crack_lines.cpp
    generators/crack_pen.cpp
    generators/crack_raster.cpp
    generators/crack_relief.cpp
    generators/physarum.cpp
    generators/registry.cpp
)

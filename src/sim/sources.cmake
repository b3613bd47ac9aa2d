target_sources(karst_objects PRIVATE
    src/sim/controls.cpp
    src/sim/devices.cpp
    src/sim/life.cpp
    src/sim/life_plain.cpp
    src/sim/physarum.cpp
    src/sim/physarum_params.cpp
    src/sim/physarum_plain.cpp
    src/sim/physarum_spawn.cpp
    src/cpu/life.cpp
    src/cpu/life_rows_baseline.cpp
    src/cpu/life_volume.cpp
    src/cpu/physarum.cpp
)

# The kernel of Life once more for each instruction set; the program chooses when it runs.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    set(life_flags_avx2 -mavx2)
    set(life_flags_avx512 -mavx512f)
    foreach(set avx2 avx512)
        set(source src/cpu/life_rows_${set}.cpp)
        target_sources(karst_objects PRIVATE ${source})
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${life_flags_${set}}")
    endforeach()
endif()

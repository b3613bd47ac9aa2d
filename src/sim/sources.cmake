target_sources(karst_objects PRIVATE
    src/sim/bench.cpp
    src/sim/controls.cpp
    src/sim/device_choice.cpp
    src/sim/devices.cpp
    src/sim/engine.cpp
    src/sim/life.cpp
    src/sim/life_network.cpp
    src/sim/life_plain.cpp
    src/sim/physarum.cpp
    src/sim/physarum_params.cpp
    src/sim/physarum_plain.cpp
    src/sim/physarum_spawn.cpp
    src/sim/tune.cpp
    src/sim/tune_search.cpp
    src/sim/tuning.cpp
    src/cpu/life.cpp
    src/cpu/life_rows_baseline.cpp
    src/cpu/life_volume.cpp
    src/cpu/packed_agents.cpp
    src/cpu/physarum.cpp
    src/cpu/physarum_rows_baseline.cpp
    src/cpu/physarum_volume.cpp
)

# The kernels once more for each instruction set; the program chooses when it runs.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    set(flags_avx2 -mavx2)
    set(flags_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)
    if(MINGW)
        # On Windows the stack is aligned to 16 bytes; its gcc saves longer vectors there by moves that
        # want more (GCC PR 54412). The assembler turns them into moves that do not.
        list(APPEND flags_avx2 -Wa,-muse-unaligned-vector-move)
        list(APPEND flags_avx512 -Wa,-muse-unaligned-vector-move)
    endif()
    foreach(set avx2 avx512)
        foreach(kernel src/cpu/life src/cpu/physarum src/shape/erosion)
            set(source ${kernel}_rows_${set}.cpp)
            target_sources(karst_objects PRIVATE ${source})
            set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${flags_${set}}")
        endforeach()
    endforeach()
endif()

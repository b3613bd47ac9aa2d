target_sources(karst_objects PRIVATE
    src/sim/bench.cpp
    src/sim/controls.cpp
    src/sim/devices.cpp
    src/sim/engine.cpp
    src/sim/life.cpp
    src/sim/life_plain.cpp
    src/sim/physarum.cpp
    src/sim/physarum_params.cpp
    src/sim/physarum_plain.cpp
    src/sim/physarum_spawn.cpp
    src/cpu/life.cpp
    src/cpu/life_volume.cpp
    src/cpu/physarum.cpp
)

target_sources(karst_objects PRIVATE
    src/lab/cellular.cpp
    src/lab/distances.cpp
    src/lab/distributions.cpp
    src/lab/growth_law.cpp
    src/lab/life_damage.cpp
    src/lab/lyapunov.cpp
    src/lab/oracles.cpp
    src/lab/real.cpp
    src/lab/statistics.cpp
    src/lab/toy.cpp
)

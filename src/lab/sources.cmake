target_sources(karst_objects PRIVATE
    src/lab/bits.cpp
    src/lab/cellular.cpp
    src/lab/distances.cpp
    src/lab/distributions.cpp
    src/lab/growth_law.cpp
    src/lab/life_damage.cpp
    src/lab/lyapunov.cpp
    src/lab/oracles.cpp
    src/lab/random_numbers.cpp
    src/lab/real.cpp
    src/lab/seed_controls.cpp
    src/lab/seed_rows.cpp
    src/lab/seed_sensitivity.cpp
    src/lab/seed_subject.cpp
    src/lab/statistics.cpp
    src/lab/toy.cpp
)

target_sources(karst_objects PRIVATE
    src/lab/distances.cpp
    src/lab/distributions.cpp
    src/lab/growth_law.cpp
    src/lab/real.cpp
    src/lab/statistics.cpp
)

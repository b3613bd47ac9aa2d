target_sources(karst_objects PRIVATE
    src/core/artifact.cpp
    src/core/available_memory_$<IF:$<PLATFORM_ID:Windows>,windows,posix>.cpp
    src/core/base64.cpp
    src/core/device.cpp
    src/core/digest.cpp
    src/core/extent.cpp
    src/core/fixed.cpp
    src/core/memory.cpp
    src/core/nearest.cpp
    src/core/params.cpp
    src/core/powers.cpp
    src/core/range.cpp
    src/core/resample.cpp
    src/core/run.cpp
    src/core/seed.cpp
    src/core/thread_pool.cpp
)

target_sources(karst_objects PRIVATE
    src/capi/call.cpp
    src/capi/catalogue.cpp
    src/capi/handles.cpp
    src/capi/host.cpp
    src/capi/job.cpp
    src/capi/request.cpp
    src/capi/result.cpp
    src/capi/result_mesh.cpp
)

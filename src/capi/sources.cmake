target_sources(karst_objects PRIVATE
    src/capi/call.cpp
    src/capi/catalogue.cpp
    src/capi/handles.cpp
    src/capi/host.cpp
    $<IF:$<BOOL:${KARST_WITH_CUDA}>,src/capi/on_stream.cpp,src/capi/on_stream_none.cpp>
    src/capi/job.cpp
    src/capi/request.cpp
    src/capi/result.cpp
    src/capi/result_mesh.cpp
    src/capi/simulation.cpp
)

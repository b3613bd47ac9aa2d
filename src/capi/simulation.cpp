// The functions of the C interface for simulations on a CUDA stream of the caller.
#include "capi/on_stream.hpp"

using namespace karst::capi;

karst_status karst_cuda_physarum(const karst_request *request, void *stream,
                                 karst_simulation **simulation) {
    return guarded([&] {
        require(simulation, "simulation", "a handle to fill");
        *simulation = physarum_on_stream(request, stream);
    });
}

karst_status karst_cuda_life(const karst_life *life, void *stream, karst_simulation **simulation) {
    return guarded([&] {
        require(simulation, "simulation", "a handle to fill");
        *simulation = life_on_stream(read(life, "life"), stream);
    });
}

karst_status karst_cuda_advance(karst_simulation *simulation, int64_t steps) {
    return guarded([&] { advance_on_stream(simulation, steps); });
}

karst_status karst_cuda_copy(karst_simulation *simulation, void *cells, int64_t pitch) {
    return guarded([&] { copy_on_stream(simulation, cells, pitch); });
}

karst_status karst_cuda_destroy(karst_simulation *simulation) {
    return guarded([&] { end_on_stream(simulation); });
}

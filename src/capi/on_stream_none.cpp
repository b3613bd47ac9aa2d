// A build without CUDA has no simulations on streams.
#include "capi/on_stream.hpp"

namespace karst::capi {

namespace {

[[noreturn]] void refuse_without_cuda() {
    throw CallError(KARST_UNSUPPORTED, "this karst was built without CUDA");
}

} // namespace

karst_simulation *physarum_on_stream(const karst_request *, void *) {
    refuse_without_cuda();
}

karst_simulation *life_on_stream(const karst_life &, void *) {
    refuse_without_cuda();
}

void advance_on_stream(karst_simulation *, std::int64_t) {
    refuse_without_cuda();
}

void copy_on_stream(karst_simulation *, void *, std::int64_t) {
    refuse_without_cuda();
}

void end_on_stream(karst_simulation *) {
    refuse_without_cuda();
}

} // namespace karst::capi

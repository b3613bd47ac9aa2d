// Simulations on a CUDA stream of the caller: in on_stream.cpp with CUDA, else in
// on_stream_none.cpp, where all of them throw CallError(KARST_UNSUPPORTED).
#pragma once

#include <cstdint>

#include "capi/call.hpp"

namespace karst::capi {

karst_simulation *physarum_on_stream(const karst_request *request, void *stream);
karst_simulation *life_on_stream(const karst_life &life, void *stream);
void advance_on_stream(karst_simulation *simulation, std::int64_t steps);
void copy_on_stream(karst_simulation *simulation, void *cells, std::int64_t pitch);
void end_on_stream(karst_simulation *simulation);

} // namespace karst::capi

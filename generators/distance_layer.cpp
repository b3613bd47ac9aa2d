#include "generators/distance_layer.hpp"

#include <algorithm>

#include "shape/shape.hpp"

namespace karst {

Layer distance_layer(core::Run &run, const Field2D<std::uint8_t> &object, double range, double cell,
                     Boundary edges) {
    const double cells = std::clamp(range / cell, 1.0, 46338.0);
    const double scale = cells * cell / 32767;
    return {.name = "distance",
            .meaning = LayerMeaning::amount,
            .unit = "m",
            .scale = scale,
            .offset = -32768 * scale,
            .data = shape::signed_distance(run, object, cells, edges)};
}

} // namespace karst

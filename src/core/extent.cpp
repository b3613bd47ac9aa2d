#include "core/extent.hpp"

#include <string>

#include <karst/error.hpp>

namespace karst::core {

namespace {

void require_side(std::int64_t side, const char *name, std::int64_t largest) {
    if (side < 1 || side > largest) {
        throw Error(ErrorCode::invalid_argument, std::string(name) + " is " + std::to_string(side) +
                                                     " cells; allowed is 1 to " +
                                                     std::to_string(largest));
    }
}

} // namespace

void require_sides(Extent2 extent, std::int64_t largest) {
    require_side(extent.width, "width", largest);
    require_side(extent.height, "height", largest);
}

void require_sides(Extent3 extent, std::int64_t largest) {
    require_side(extent.width, "width", largest);
    require_side(extent.height, "height", largest);
    require_side(extent.depth, "depth", largest);
}

} // namespace karst::core

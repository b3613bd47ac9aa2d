#include "core/extent.hpp"

#include <string>
#include <utility>

#include <karst/error.hpp>

namespace karst::core {

void require_sides(Extent2 extent, std::int64_t largest) {
    for (const auto &[side, name] : {std::pair{extent.width, "width"}, {extent.height, "height"}}) {
        if (side < 1 || side > largest) {
            throw Error(ErrorCode::invalid_argument,
                        std::string(name) + " is " + std::to_string(side) +
                            " cells; allowed is 1 to " + std::to_string(largest));
        }
    }
}

} // namespace karst::core

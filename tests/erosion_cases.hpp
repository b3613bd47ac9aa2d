// Grounds on which every device must erode alike.
#pragma once

#include <string>
#include <vector>

#include <karst/options.hpp>

#include "sim/erosion.hpp"

namespace karst::test {

struct ErosionCase {
    std::string name;
    sim::Soil soil;
    sim::Bedrock bedrock;
    rules::ErosionPass pass;
    int passes = 3;
};
std::vector<ErosionCase> erosion_cases();

// After each pass, after a warp, a finer level, a new scale and
// filled depressions, and where water goes then.
struct Eroded {
    std::vector<Field2D<std::int32_t>> heights;
    sim::Water water;
};
Eroded erode(const ErosionCase &c, const Options &options);

} // namespace karst::test

// How engines divide their work on one device. Nothing here changes a result.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace karst {

// What was found best for one engine and one class of sizes (`karst tune` finds it).
struct TuningChoice {
    std::string engine; // "life", "life3d" or "physarum"
    int cells = 0;      // 2 to this power is nearest to the number of cells
    int agents = 0;     // the same for agents a cell; of Life 0
    // Axes of docs/speed.md and their values; the others have their defaults. A choice with an axis
    // or a value that is not there counts as none.
    std::vector<std::pair<std::string, std::int32_t>> values;
};

// Of one device, and on the CPU for as many threads.
struct Tuning {
    std::vector<TuningChoice> choices;
};

} // namespace karst

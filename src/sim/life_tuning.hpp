// How the engines of Life divide their work. No choice changes a result.
#pragma once

#include <cstdint>

namespace karst::cpu {

struct LifeTuning {
    std::int32_t generations = 32; // a pass, at most
    std::int32_t words = 136;      // a row of a tile, with those at its sides
    std::int32_t pieces = 4;       // tiles a thread, where there are several threads
    std::int32_t older = 0;        // 0: the newest instruction set, 1: the one before it, ...
};

struct LifeVolumeTuning {
    std::int32_t words = 256; // of a piece in a slice
    std::int32_t slices = 32; // of a piece; two more are summed for each
};

} // namespace karst::cpu

namespace karst::cuda {

struct LifeTuning {
    std::int32_t generations = 8; // a pass, at most
    std::int32_t rows = 0;        // of a strip; 0: as a model of the device has it
    std::int32_t threads = 128;   // of a block, whole warps, at most so many
};

struct LifeVolumeTuning {
    std::int32_t columns = 16; // words along x of a block, at most
    std::int32_t slices = 0;   // that a block writes; 0: as a model of the device has it
};

} // namespace karst::cuda

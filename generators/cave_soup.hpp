// The Life soup of a cave.
#pragma once

#include <cstdint>

#include <karst/field.hpp>
#include <karst/simulate.hpp>

#include "core/run.hpp"

namespace karst::cave {

// Each cell alive, which is rock, with its own probability (65536: certain), drawn from the seed
// and the cell. `soup` tells the soups of one seed apart.
LifeBoard make_soup(core::Run &run, const Field2D<std::uint32_t> &wall, std::uint64_t seed,
                    std::uint32_t soup);

// `generations` of the cave rule: rock if at least 5 of the 3x3 window are. All is rock outside a
// bounded board.
LifeBoard cave_rule(core::Run &run, LifeBoard board, int generations, Boundary edges);

} // namespace karst::cave

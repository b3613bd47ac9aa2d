// Random numbers of measurements: a stage of core/rng.hpp, and a slot for each use. They change no
// result of a generator.
#pragma once

#include "core/rng.hpp"

namespace karst::lab {

inline constexpr std::uint32_t kStage = 0xa0; // beside core::Stage, append only
enum Slot : std::uint32_t {
    slot_bootstrap = 0,
    slot_ring = 1,   // the cells of an elementary automaton
    slot_seeds = 2,  // base seeds and their partners
    slot_trial = 3,  // seeds and cells of the avalanche of random numbers
    slot_change = 4, // which cell or agent of a state is changed
};

// The last counter word.
constexpr std::uint32_t use(Slot slot) {
    return core::use(kStage, slot);
}

} // namespace karst::lab

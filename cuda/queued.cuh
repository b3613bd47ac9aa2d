// Engines on a stream of the caller, behind karst/cuda.hpp. What they do is put on the stream:
// nobody waits, no memory is taken, and the host's own memory is not read.
#pragma once

#include <cstdint>
#include <memory>

#include "resources.cuh"
#include "sim/life.hpp"
#include "sim/physarum.hpp"
#include "sim/physarum_tuning.hpp"

namespace karst::cuda {

template <class Rule>
class QueuedPhysarum : public sim::BasicPhysarumEngine<Rule> {
public:
    virtual void enqueue(std::uint32_t steps) = 0;
    // The trail after what is on the stream so far, and until more is; birth times likewise, null
    // where they are not kept.
    virtual const std::uint32_t *enqueue_trail() = 0;
    virtual const std::uint16_t *enqueue_birth_times() = 0;
    // Gives back what the host holds; advance(), look() and take() no longer work.
    virtual void forget_state() = 0;
};
using QueuedPhysarum2 = QueuedPhysarum<rules::PhysarumRule>;

template <class Board>
class QueuedLife : public sim::BasicLifeEngine<Board> {
public:
    virtual void enqueue(std::uint32_t generations) = 0;
    // The board after what is on the stream so far, and until more is.
    virtual const std::uint64_t *words() const = 0;
    virtual void forget_board() = 0; // as forget_state()
};

// On the lane's stream or, if it has none, on one of their own. The device is there.
std::unique_ptr<QueuedPhysarum2> make_physarum(const Lane &lane, sim::PhysarumState state,
                                               const rules::PhysarumRule &rule,
                                               const PhysarumTuning &tuning);
// Null as in sim/physarum_tuning.hpp.
std::unique_ptr<QueuedPhysarum2> make_tiled_physarum(const Lane &lane, sim::PhysarumState &state,
                                                     const rules::PhysarumRule &rule,
                                                     const PhysarumTuning &tuning);
std::unique_ptr<QueuedLife<LifeBoard>> make_life(const Lane &lane, LifeBoard board, LifeRule rule,
                                                 LifeBoundary boundary, const LifeTuning &tuning);

} // namespace karst::cuda

// A Life-like automaton: its engines.
#pragma once

#include <cstdint>
#include <memory>

#include <karst/simulate.hpp>

#include "core/run.hpp"
#include "rules/life.hpp"
#include "sim/physarum.hpp"

namespace karst::sim {

// Runs generations of one board. The plain engine is the specification; every other engine gives
// the same bits.
class LifeEngine {
public:
    virtual ~LifeEngine() = default;
    // At most kStepsAtOnce generations.
    virtual void advance(std::uint32_t generations) = 0;
    // Moves the board out; the engine is finished.
    virtual LifeBoard take() = 0;
};

// Runs generations on the run's device, reporting progress.
LifeBoard advance(core::Run &run, LifeBoard board, LifeRule rule, LifeBoundary boundary,
                  std::int64_t generations, EngineKind engine = EngineKind::fast);

std::unique_ptr<LifeEngine> make_plain_life(const LifeBoard &board, LifeRule rule,
                                            LifeBoundary boundary);

} // namespace karst::sim

namespace karst::cpu {
std::unique_ptr<sim::LifeEngine> make_life(core::Run &run, LifeBoard board, LifeRule rule,
                                           LifeBoundary boundary);
} // namespace karst::cpu

namespace karst::cuda {
// Throws Error(no_device) without CUDA.
std::unique_ptr<sim::LifeEngine> make_life(Device device, LifeBoard board, LifeRule rule,
                                           LifeBoundary boundary);
} // namespace karst::cuda

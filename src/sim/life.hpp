// Life-like automata in two and three dimensions: their engines.
#pragma once

#include <cstdint>
#include <memory>

#include <karst/life_volume.hpp>
#include <karst/simulate.hpp>

#include "core/run.hpp"
#include "rules/life.hpp"
#include "rules/life_volume.hpp"
#include "sim/engine.hpp"
#include "sim/life_tuning.hpp"

namespace karst::sim {

// Runs generations of one board (LifeBoard or LifeVolume). The plain engine is the specification;
// every other engine gives the same bits.
template <class Board>
class BasicLifeEngine : public Engine {
public:
    // The board after the last generation, until the next call; the engine goes on.
    const Board &look() { return read(); }
    // Moves it out; the engine is finished.
    Board take() { return std::move(read()); }

private:
    // Brings the host's board up to date; later generations are the same as without.
    virtual Board &read() = 0;
};
using LifeEngine = BasicLifeEngine<LifeBoard>;
using LifeVolumeEngine = BasicLifeEngine<LifeVolume>;

// Runs generations on the run's device, reporting progress.
LifeBoard advance(core::Run &run, LifeBoard board, LifeRule rule, LifeBoundary boundary,
                  std::int64_t generations, EngineKind engine = EngineKind::fast);
LifeVolume advance(core::Run &run, LifeVolume volume, LifeRule3 rule, LifeBoundary boundary,
                   std::int64_t generations, EngineKind engine = EngineKind::fast);

// The fast engine of the run's device, with the run's tuning.
std::unique_ptr<LifeEngine> make_engine(core::Run &run, LifeBoard board, LifeRule rule,
                                        LifeBoundary boundary);
std::unique_ptr<LifeVolumeEngine> make_engine(core::Run &run, LifeVolume volume, LifeRule3 rule,
                                              LifeBoundary boundary);

std::unique_ptr<LifeEngine> make_plain_life(const LifeBoard &board, LifeRule rule,
                                            LifeBoundary boundary);
std::unique_ptr<LifeVolumeEngine> make_plain_life(const LifeVolume &volume, LifeRule3 rule,
                                                  LifeBoundary boundary);

} // namespace karst::sim

namespace karst::cpu {
std::unique_ptr<sim::LifeEngine> make_life(core::Run &run, LifeBoard board, LifeRule rule,
                                           LifeBoundary boundary, const LifeTuning &tuning = {});
std::unique_ptr<sim::LifeVolumeEngine> make_life(core::Run &run, LifeVolume volume, LifeRule3 rule,
                                                 LifeBoundary boundary,
                                                 const LifeVolumeTuning &tuning = {});
} // namespace karst::cpu

namespace karst::cuda {
// Throw Error(no_device) without CUDA.
std::unique_ptr<sim::LifeEngine> make_life(Device device, LifeBoard board, LifeRule rule,
                                           LifeBoundary boundary, const LifeTuning &tuning = {});
std::unique_ptr<sim::LifeVolumeEngine> make_life(Device device, LifeVolume volume, LifeRule3 rule,
                                                 LifeBoundary boundary,
                                                 const LifeVolumeTuning &tuning = {});
} // namespace karst::cuda

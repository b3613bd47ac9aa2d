// Seeds that are wired wrongly on purpose: an instrument that does not see them is broken.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <karst/options.hpp>

#include "lab/seed_subject.hpp"

namespace karst::lab {

struct ControlResult {
    std::string name;
    bool must_fail = true; // false: a sound one, which must pass
    bool caught = false;   // every planted fault was called "outside" or never within
    std::string why;

    bool is_as_it_should_be() const noexcept { return caught == must_fail; }
};

// Seconds at most; on the CPU, whatever device the options have.
std::vector<ControlResult> run_controls(const Options &options);

// A Physarum simulation whose agent i spawns from a generator with the key seed + i: an idiom of
// public CUDA code (curand_init(seed + id, 0, 0)). Flipping a low bit of the seed then exchanges
// agents and makes hardly any new ones. What they draw later is keyed soundly.
class IndexKeySubject final : public Subject {
public:
    IndexKeySubject(Extent2 extent, std::int64_t steps, std::vector<std::int64_t> looks)
        : extent_(extent), steps_(steps), looks_(std::move(looks)) {}
    Sight look(std::uint64_t seed, const Options &options) const override;

private:
    const Extent2 extent_;
    const std::int64_t steps_;
    const std::vector<std::int64_t> looks_;
};

} // namespace karst::lab

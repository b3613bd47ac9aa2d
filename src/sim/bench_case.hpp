// What is timed by `karst bench` and `karst tune`: a simulation from its start.
#pragma once

#include <string>

#include "sim/bench.hpp"
#include "sim/life.hpp"
#include "sim/physarum.hpp"
#include "sim/tuning.hpp"

namespace karst::sim {

template <class Rule, class State>
struct BenchCase {
    std::string engine; // of tunings
    SizeClass size;
    double items; // as in Timing
    double bytes;
    Rule rule;
    State start;
    cuda::LifeCode code = cuda::LifeCode::automatic; // of boards on CUDA
};
using BoardCase = BenchCase<LifeRule, LifeBoard>;
using VolumeCase = BenchCase<LifeRule3, LifeVolume>;
using MapCase = BenchCase<rules::PhysarumRule, PhysarumState>;

BoardCase bench_case(LifeRule rule, Extent2 extent);
VolumeCase bench_case(LifeRule3 rule, Extent3 extent);
MapCase bench_case(const Options &options, const PhysarumParams &params, Extent2 extent);

// As the functions of bench.hpp.
Timing time_case(const Options &options, BoardCase its, int blocks);
Timing time_case(const Options &options, VolumeCase its, int blocks);
Timing time_case(const Options &options, MapCase its, int blocks);

} // namespace karst::sim

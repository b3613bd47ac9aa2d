// Erosion of height fields: filled depressions, water flow, stream power, creep and talus. Integers
// only; the same bytes for every thread count.
#pragma once

#include <cstdint>
#include <utility>

#include <karst/field.hpp>

#include "core/run.hpp"
#include "rules/erosion.hpp"
#include "shape/drainage.hpp"
#include "shape/flow_steps.hpp"

namespace karst::shape {

// Raises `heights` so that water runs from every cell down to an outlet: the least surface with
// W = height at the outlets and W = max(height, lowest neighbour's W + 1) elsewhere. It is unique,
// so no order of work shows. Cells of `outlets` that are 1 let water out; without one nothing is
// changed. Fewer than 2^32 cells. Gives the number of cells that it raised.
std::int64_t fill_depressions(core::Run &run, Heights &heights,
                              const Field2D<std::uint8_t> &outlets);

// Where the water of each cell goes, and how much comes by.
struct Flow {
    Field2D<std::uint8_t> step;  // index into kFlowSteps; kNoStep: the water leaves or stays
    Field2D<std::uint32_t> area; // cells that drain through this one, itself included
    DrainageOrder order;
};

// Sends the water of each cell to its steepest lower neighbour. Lengths are measured between
// points drawn from the seed within the cells, so that slopes that face between two directions do
// not drain in parallel lines. Of equal slopes the neighbour with the smaller tie_hash is taken.
// Keeps what does not change while the ground does.
class Router {
public:
    Router(core::Run &run, Extent2 extent, std::uint64_t seed);

    // On the ground as it is.
    const Flow &on_ground(core::Run &run, const Heights &heights,
                          const Field2D<std::uint8_t> &outlets);
    // As if fill_depressions had raised the ground before.
    const Flow &on_filled(core::Run &run, const Heights &heights,
                          const Field2D<std::uint8_t> &outlets);
    // fill_depressions; gives the number of cells that it raised.
    std::int64_t fill(core::Run &run, Heights &heights, const Field2D<std::uint8_t> &outlets);

    Flow take() { return std::move(flow_); }

private:
    void order(core::Run &run);

    Descent descent_;
    Depressions depressions_;
    Flow flow_;
};

Flow route(core::Run &run, const Heights &heights, const Field2D<std::uint8_t> &outlets,
           std::uint64_t seed);

// One step of stream power: each cell from the outlets upwards.
using rules::StreamPower;
// `softness` scales the rate of each cell and `steepness` its steepest drop, 8 fraction bits; null:
// 1 everywhere.
void incise(core::Run &run, Heights &heights, const Flow &flow, const StreamPower &power,
            const Field2D<std::uint16_t> *softness = nullptr,
            const Field2D<std::uint16_t> *steepness = nullptr);

// Rivers that drain at least `least_area` cells plane their banks: the neighbours of such a river
// go down towards `rise` above it, by `share` (16 fraction bits) of the difference. One synchronous
// pass.
void widen(core::Run &run, Heights &heights, const Flow &flow, std::uint32_t least_area,
           std::int32_t rise, std::uint32_t share);

// One synchronous pass of exchange between the 8 neighbours.
using rules::Creep;
// Cells of `fixed` that are 1 keep their height (and so take and give matter); null: none is.
// `steepness` scales the talus of each pair of cells by their mean, 8 fraction bits; null: 1.
void creep(core::Run &run, Heights &heights, const Creep &creep,
           const Field2D<std::uint8_t> *fixed = nullptr,
           const Field2D<std::uint16_t> *steepness = nullptr);

} // namespace karst::shape

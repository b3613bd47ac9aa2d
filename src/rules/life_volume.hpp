// What one word of 64 cells of a volume does in a generation: an outer-totalistic automaton on 26
// neighbours. Compiled for the host and for the device.
//
// Cells are summed in bit planes, the centre with them: 3 along x, then 9 in a slice, then 27. What
// depends on a slice alone is computed once for the three slices that use it.
#pragma once

#include <karst/life_volume.hpp>

#include "rules/life.hpp"

namespace karst::rules {

struct SliceSum { // 0 to 9
    std::uint64_t bit[4];
};

struct BlockSum { // 0 to 27
    std::uint64_t bit[5];
};

KARST_HD constexpr SliceSum slice_sum(const RowSum &a, const RowSum &b, const RowSum &c) {
    const std::uint64_t carry = majority(a.ones, b.ones, c.ones);
    const std::uint64_t twos = a.twos ^ b.twos ^ c.twos;
    const std::uint64_t fours = majority(a.twos, b.twos, c.twos);
    const std::uint64_t carry2 = twos & carry;
    return {{a.ones ^ b.ones ^ c.ones, twos ^ carry, fours ^ carry2, fours & carry2}};
}

KARST_HD constexpr BlockSum block_sum(const SliceSum &a, const SliceSum &b, const SliceSum &c) {
    const auto parity = [](std::uint64_t u, std::uint64_t v, std::uint64_t w) { return u ^ v ^ w; };
    const std::uint64_t carry0 = majority(a.bit[0], b.bit[0], c.bit[0]);
    const std::uint64_t twos = parity(a.bit[1], b.bit[1], c.bit[1]);
    const std::uint64_t fours = parity(a.bit[2], b.bit[2], c.bit[2]);
    const std::uint64_t eights = parity(a.bit[3], b.bit[3], c.bit[3]);
    const std::uint64_t more_fours = majority(a.bit[1], b.bit[1], c.bit[1]);
    const std::uint64_t more_eights = majority(a.bit[2], b.bit[2], c.bit[2]);
    const std::uint64_t sixteens = majority(a.bit[3], b.bit[3], c.bit[3]);
    const std::uint64_t carry1 = twos & carry0;
    const std::uint64_t carry2 = majority(fours, more_fours, carry1);
    const std::uint64_t carry3 = majority(eights, more_eights, carry2);
    return {{parity(a.bit[0], b.bit[0], c.bit[0]), twos ^ carry0, parity(fours, more_fours, carry1),
             parity(eights, more_eights, carry2), sixteens ^ carry3}};
}

// A sum from which on the fate of dead or of live cells is another than below it.
struct LifeThreshold {
    std::uint64_t clear[5]; // all ones where the bit of the threshold is 0
    std::uint64_t dead;     // all ones if the fate of dead cells changes
    std::uint64_t differs;  // and if only one of the two fates does
};

// A rule as the sums at which fates change, from 0 upwards; below the first every cell dies.
struct LifeSteps {
    int count;
    LifeThreshold threshold[28];
};

// The sum holds the centre: a dead cell has `sum` live neighbours, a live one has sum - 1.
constexpr LifeSteps make_selector(LifeRule3 rule) {
    LifeSteps steps{};
    bool birth = false;
    bool survive = false;
    for (int sum = 0; sum <= 27; ++sum) {
        const bool born = sum <= 26 ? ((rule.birth >> sum) & 1) != 0 : birth;
        const bool survives = sum >= 1 ? ((rule.survive >> (sum - 1)) & 1) != 0 : survive;
        if (born == birth && survives == survive) {
            continue;
        }
        LifeThreshold &step = steps.threshold[steps.count++];
        for (int b = 0; b < 5; ++b) {
            step.clear[b] = (sum >> b) & 1 ? 0 : ~std::uint64_t{0};
        }
        step.dead = born != birth ? ~std::uint64_t{0} : 0;
        step.differs = (born != birth) != (survives != survive) ? ~std::uint64_t{0} : 0;
        birth = born;
        survive = survives;
    }
    return steps;
}

// Where the fate of the cells changes at this threshold: those whose sum reaches it.
KARST_HD constexpr std::uint64_t change(const BlockSum &sum, std::uint64_t centre,
                                        const LifeThreshold &step) {
    std::uint64_t reached = ~std::uint64_t{0};
    for (int b = 0; b < 5; ++b) { // from the lowest bit: the highest decides
        reached = majority(sum.bit[b], step.clear[b], reached);
    }
    return reached & (step.dead ^ (step.differs & centre));
}

KARST_HD constexpr std::uint64_t next_word(const BlockSum &sum, std::uint64_t centre,
                                           const LifeSteps &steps) {
    std::uint64_t next = 0;
    for (int i = 0; i < steps.count; ++i) {
        next ^= change(sum, centre, steps.threshold[i]);
    }
    return next;
}

// A volume to read: its first slice, behind which the others lie.
struct LifeVolumeView {
    LifeView slice;
    std::int64_t depth;
};

constexpr LifeVolumeView make_view(const std::uint64_t *cells, Extent3 extent,
                                   LifeBoundary boundary) {
    return {make_view(cells, Extent2{extent.width, extent.height}, boundary), extent.depth};
}

KARST_HD constexpr LifeView slice_at(const LifeVolumeView &view, std::int64_t z) {
    LifeView slice = view.slice;
    slice.cells += z * slice.words * slice.height;
    return slice;
}

// The sum of the triple of word i of row (y, z); y may be -1 or height, z -1 or depth.
KARST_HD constexpr RowSum row_sum_at(const LifeVolumeView &view, std::int64_t z, std::int64_t y,
                                     std::int64_t i) {
    if (z < 0 || z >= view.depth) {
        if (view.slice.boundary != LifeBoundary::torus) {
            const std::uint64_t outside = outside_word(view.slice.boundary);
            return {outside, outside}; // 3 or 0
        }
        z = z < 0 ? view.depth - 1 : 0;
    }
    return row_sum(triple_at(slice_at(view, z), y, i));
}

// The sum of the rows y - 1 to y + 1 of slice z, which may be -1 or depth.
KARST_HD constexpr SliceSum slice_sum_at(const LifeVolumeView &view, std::int64_t z, std::int64_t y,
                                         std::int64_t i) {
    return slice_sum(row_sum_at(view, z, y - 1, i), row_sum_at(view, z, y, i),
                     row_sum_at(view, z, y + 1, i));
}

} // namespace karst::rules

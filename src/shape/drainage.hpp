// Where water runs over heights: its steps, the depressions that catch it, the area it drains. The
// map is cut into square tiles whose size depends on the extent only; what crosses them is solved
// between them, so that nearly all runs in parallel and every result is the one of a serial walk.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <karst/field.hpp>

#include "core/run.hpp"
#include "shape/flow_steps.hpp"
#include "shape/scratch.hpp"
#include "shape/tiling.hpp"

namespace karst::shape {

struct ErosionKernel;

// The way that water takes from each cell: to its steepest lower neighbour. Made once for an extent
// and a seed.
class Descent {
public:
    Descent(core::Run &run, Extent2 extent, std::uint64_t seed);

    // The step of every cell; kNoStep at outlets and where no neighbour is lower.
    void find(core::Run &run, const Heights &heights, const Field2D<std::uint8_t> &outlets,
              Field2D<std::uint8_t> &steps) const;

    // The step from cell (x, y); height(i) is the height of cell i.
    template <class Height>
    std::uint8_t at(std::int64_t x, std::int64_t y, Height &&height) const {
        const std::int64_t i = y * extent_.width + x;
        std::int64_t steepest = 0;
        std::int64_t best = i;
        std::uint8_t step = kNoStep;
        for_steps(extent_, x, y, [&](std::int64_t n, std::uint8_t s) {
            const std::int64_t drop = std::int64_t{height(i)} - height(n);
            if (drop <= 0) {
                return;
            }
            const std::int64_t slope = drop * static_cast<std::int64_t>(inverse_length(i, n, s));
            if (slope > steepest || (slope == steepest && tie(n) < tie(best))) {
                steepest = slope;
                best = n;
                step = s;
            }
        });
        return step;
    }

private:
    float inverse_length(std::int64_t from, std::int64_t to, std::uint8_t s) const {
        return s < 4 ? links_[s][from] : links_[s - 4u][to];
    }
    std::uint64_t tie(std::int64_t cell) const;

    Extent2 extent_;
    std::uint64_t seed_;
    std::array<Scratch2D<float>, 4> links_; // as LinkRows: of steps 0 to 3
    const ErosionKernel *kernel_;
};

// Depressions filled to where they overflow, beside the ground that they lie in.
class Depressions {
public:
    Depressions(core::Run &run, Extent2 extent);

    // From the steps on `heights`. Gives whether any ground is to be raised; `steps` are then those
    // on the filled ground.
    bool fill(core::Run &run, const Heights &heights, const Field2D<std::uint8_t> &outlets,
              const Descent &descent, Field2D<std::uint8_t> &steps);
    // Raises the ground that fill() found too low; gives how many cells.
    std::int64_t raise(core::Run &run, Heights &heights) const;

private:
    struct Ground; // heights with the filled ones
    class TileFill;

    void catch_water(core::Run &run, const Heights &heights, const Field2D<std::uint8_t> &outlets,
                     const Field2D<std::uint8_t> &steps);
    void clear(core::Run &run);
    template <class F>
    void for_caught_tiles(core::Run &run, F &&f) const;

    Tiling tiling_;
    Scratch2D<std::int32_t> filled_;       // where caught
    Scratch2D<std::uint8_t> caught_;       // 0 drains, kCaught, kRaised
    std::vector<std::uint8_t> has_caught_; // of each tile
};

// Every cell in an order in which the cell it drains to comes before it: trees of cells inside a
// tile, in levels. A tree of a level hangs on one of a level before.
class DrainageOrder {
public:
    DrainageOrder() : DrainageOrder(Extent2{}) {}
    explicit DrainageOrder(Extent2 extent) : tiling_(extent), cells_(extent) {}

    // `scratch` is overwritten.
    void build(core::Run &run, const Field2D<std::uint8_t> &steps, Field2D<std::uint32_t> &scratch);
    // Adds up the cells that drain through each.
    void accumulate(core::Run &run, const Field2D<std::uint8_t> &steps,
                    Field2D<std::uint32_t> &area) const;

    // f(cell) for every cell after the one it drains to. Cells of one level run in parallel.
    template <class F>
    void upwards(core::Run &run, F &&f) const {
        for (std::size_t level = 0; level + 1 < levels_.size(); ++level) {
            for_trees(run, level, [&](const Tree &tree) {
                for (std::uint32_t k = tree.begin; k < tree.end; ++k) {
                    f(std::int64_t{cells_[k]});
                }
            });
        }
    }

private:
    struct Tree {
        std::uint32_t begin, end; // in cells_; the first cell is its root
    };

    template <class F>
    void for_trees(core::Run &run, std::size_t level, F &&f) const {
        constexpr std::int64_t kCells = 8192; // that are worth a thread
        const std::int64_t begin = levels_[level];
        const std::int64_t count = levels_[level + 1] - begin;
        const std::int64_t mean =
            std::max<std::int64_t>(1, cells_.size() / static_cast<std::int64_t>(trees_.size()));
        run.for_ranges(count, kCells / mean + 1, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t t = first; t < last; ++t) {
                f(trees_[static_cast<std::size_t>(begin + t)]);
            }
        });
    }
    void plant(const Field2D<std::uint8_t> &steps, std::int64_t tile, Field2D<std::uint32_t> &root,
               std::vector<Tree> &trees);
    void sort_by_level(const std::vector<std::uint32_t> &parents);

    Tiling tiling_;
    Scratch2D<std::uint32_t> cells_;
    std::vector<Tree> trees_;          // by level
    std::vector<std::int64_t> levels_; // the first tree of each, then the end
};

} // namespace karst::shape

#include "shape/drainage.hpp"

#include <algorithm>
#include <bit>

#include "core/atomic.hpp"

namespace karst::shape {

// The trees of a tile: each from a cell whose water leaves the tile, or ends there, upstream.
// root[cell] = the number of the cell's tree in the tile.
void DrainageOrder::plant(const Field2D<std::uint8_t> &steps, std::int64_t tile,
                          Field2D<std::uint32_t> &root, std::vector<Tree> &trees) {
    const Tiling::Box box = tiling_.box(tile);
    const std::int64_t width = tiling_.extent().width;
    // The steps of the tile with a frame of cells without one, and from which neighbours water
    // comes to each.
    const std::int64_t stride = box.width() + 2;
    const std::int64_t rows = box.bottom - box.top;
    std::vector<std::uint8_t> framed(static_cast<std::size_t>(stride * (rows + 2)), kNoStep);
    for (std::int64_t y = 0; y < rows; ++y) {
        std::copy_n(&steps.at(box.left, box.top + y), box.width(),
                    framed.begin() + (y + 1) * stride + 1);
    }
    std::vector<std::uint8_t> donors(framed.size());
    const auto near = step_offsets(stride);
    for (std::int64_t k = stride + 1; k < static_cast<std::int64_t>(framed.size()) - stride - 1;
         ++k) {
        unsigned mask = 0;
        for (unsigned s = 0; s < 8; ++s) {
            mask |= static_cast<unsigned>(framed[static_cast<std::size_t>(k + near[s])] == (s ^ 4))
                    << s;
        }
        donors[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(mask);
    }

    const auto far = step_offsets(width);
    auto next = static_cast<std::uint32_t>(tiling_.first_cell(tile));
    struct Place {
        std::int32_t framed;
        std::uint32_t cell;
    };
    std::vector<Place> upstream;
    for (std::int64_t y = 0; y < rows; ++y) {
        for (std::int64_t x = 0; x < box.width(); ++x) {
            const std::int64_t k = (y + 1) * stride + x + 1;
            const std::uint8_t s = framed[static_cast<std::size_t>(k)];
            if (s != kNoStep &&
                box.holds(box.left + x + kFlowSteps[s].x, box.top + y + kFlowSteps[s].y)) {
                continue;
            }
            Tree tree{next, next};
            upstream.push_back({static_cast<std::int32_t>(k),
                                static_cast<std::uint32_t>((box.top + y) * width + box.left + x)});
            while (!upstream.empty()) {
                const Place place = upstream.back();
                upstream.pop_back();
                cells_[tree.end++] = place.cell;
                root[place.cell] = static_cast<std::uint32_t>(trees.size());
                for (unsigned mask = donors[static_cast<std::size_t>(place.framed)]; mask != 0;
                     mask &= mask - 1) {
                    const auto d = static_cast<std::size_t>(std::countr_zero(mask));
                    upstream.push_back({static_cast<std::int32_t>(place.framed + near[d]),
                                        static_cast<std::uint32_t>(place.cell + far[d])});
                }
            }
            next = tree.end;
            trees.push_back(tree);
        }
    }
}

void DrainageOrder::build(core::Run &run, const Field2D<std::uint8_t> &steps,
                          Field2D<std::uint32_t> &scratch) {
    std::vector<std::vector<Tree>> of_tile(static_cast<std::size_t>(tiling_.count()));
    run.for_ranges(tiling_.count(), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t tile = begin; tile < end; ++tile) {
            plant(steps, tile, scratch, of_tile[static_cast<std::size_t>(tile)]);
        }
    });
    std::vector<std::uint32_t> first(of_tile.size()); // tree of each tile
    std::size_t count = 0;
    for (std::size_t tile = 0; tile < of_tile.size(); ++tile) {
        first[tile] = static_cast<std::uint32_t>(count);
        count += of_tile[tile].size();
    }
    trees_.resize(count);
    std::vector<std::uint32_t> parent(count); // itself: none
    const std::int64_t width = steps.width();
    const auto offset = step_offsets(width);
    run.for_ranges(tiling_.count(), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t tile = begin; tile < end; ++tile) {
            std::size_t t = first[static_cast<std::size_t>(tile)];
            for (const Tree &tree : of_tile[static_cast<std::size_t>(tile)]) {
                const std::int64_t cell = cells_[tree.begin];
                const std::uint8_t s = steps[cell];
                trees_[t] = tree;
                parent[t] = static_cast<std::uint32_t>(t);
                if (s != kNoStep) {
                    const std::int64_t to = cell + offset[s];
                    parent[t] =
                        first[static_cast<std::size_t>(tiling_.of(to % width, to / width))] +
                        scratch[to];
                }
                ++t;
            }
        }
    });
    sort_by_level(parent);
}

void DrainageOrder::sort_by_level(const std::vector<std::uint32_t> &parents) {
    constexpr std::uint32_t kUnknown = UINT32_MAX;
    std::vector<std::uint32_t> level(parents.size(), kUnknown);
    std::vector<std::uint32_t> chain;
    std::uint32_t deepest = 0;
    for (std::uint32_t t = 0; t < parents.size(); ++t) {
        std::uint32_t end = t;
        while (level[end] == kUnknown && parents[end] != end) {
            chain.push_back(end);
            end = parents[end];
        }
        std::uint32_t depth = level[end] == kUnknown ? 0 : level[end];
        level[end] = depth;
        for (; !chain.empty(); chain.pop_back()) {
            level[chain.back()] = ++depth;
        }
        deepest = std::max(deepest, depth);
    }
    levels_.assign(deepest + 2, 0);
    for (const std::uint32_t l : level) {
        ++levels_[l + 1];
    }
    for (std::size_t l = 1; l < levels_.size(); ++l) {
        levels_[l] += levels_[l - 1];
    }
    std::vector<std::int64_t> place(levels_.begin(), levels_.end() - 1);
    std::vector<Tree> sorted(trees_.size());
    for (std::size_t t = 0; t < trees_.size(); ++t) {
        sorted[static_cast<std::size_t>(place[level[t]]++)] = trees_[t];
    }
    trees_ = std::move(sorted);
}

void DrainageOrder::accumulate(core::Run &run, const Field2D<std::uint8_t> &steps,
                               Field2D<std::uint32_t> &area) const {
    const auto offset = step_offsets(steps.width());
    run.for_rows(area.height(), [&](std::int64_t y) {
        const auto row = area.row(y);
        std::fill(row.begin(), row.end(), 1u);
    });
    for (std::size_t level = levels_.size() - 1; level-- > 0;) {
        for_trees(run, level, [&](const Tree &tree) {
            for (std::uint32_t k = tree.end - 1; k > tree.begin; --k) {
                const std::int64_t cell = cells_[k];
                area[cell + offset[steps[cell]]] += area[cell];
            }
            const std::int64_t root = cells_[tree.begin];
            if (steps[root] != kNoStep) { // other trees may drain to the same cell
                core::atomic_add(area[root + offset[steps[root]]], area[root]);
            }
        });
    }
}

} // namespace karst::shape

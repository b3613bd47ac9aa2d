#include "shape/erosion.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "shape/erosion_kernel.hpp"

namespace karst::shape {

Router::Router(core::Run &run, Extent2 extent, std::uint64_t seed)
    : descent_(run, extent, seed),
      depressions_(run, extent), flow_{Field2D<std::uint8_t>(extent),
                                       Field2D<std::uint32_t>(extent), DrainageOrder(extent)} {}

const Flow &Router::on_ground(core::Run &run, const Heights &heights,
                              const Field2D<std::uint8_t> &outlets) {
    descent_.find(run, heights, outlets, flow_.step);
    order(run);
    return flow_;
}

const Flow &Router::on_filled(core::Run &run, const Heights &heights,
                              const Field2D<std::uint8_t> &outlets) {
    descent_.find(run, heights, outlets, flow_.step);
    depressions_.fill(run, heights, outlets, descent_, flow_.step);
    order(run);
    return flow_;
}

std::int64_t Router::fill(core::Run &run, Heights &heights, const Field2D<std::uint8_t> &outlets) {
    descent_.find(run, heights, outlets, flow_.step);
    return depressions_.fill(run, heights, outlets, descent_, flow_.step)
               ? depressions_.raise(run, heights)
               : 0;
}

void Router::order(core::Run &run) {
    flow_.order.build(run, flow_.step, flow_.area);
    flow_.order.accumulate(run, flow_.step, flow_.area);
}

namespace {

// Whether water stands somewhere else than at an outlet.
bool has_pit(core::Run &run, const Heights &heights, const Field2D<std::uint8_t> &outlets) {
    std::atomic<bool> found{false};
    const Extent2 extent = heights.extent();
    const auto is_pit = [&](std::int64_t x, std::int64_t y) {
        bool lower = outlets.at(x, y) != 0;
        for_steps(extent, x, y, [&](std::int64_t n, std::uint8_t) {
            lower = lower || heights[n] < heights.at(x, y);
        });
        return !lower;
    };
    run.for_rows(extent.height, [&](std::int64_t y) {
        if (found) {
            return;
        }
        const bool inside = y > 0 && y + 1 < extent.height;
        const std::int64_t last = extent.width - 1;
        bool pit = is_pit(0, y) || is_pit(last, y);
        if (!inside) {
            for (std::int64_t x = 1; x < last; ++x) {
                pit = pit || is_pit(x, y);
            }
        } else {
            const std::int32_t *const here = heights.row(y).data();
            const std::int32_t *const above = here - extent.width;
            const std::int32_t *const below = here + extent.width;
            const std::uint8_t *const outlet = outlets.row(y).data();
            unsigned pits = 0;
            for (std::int64_t x = 1; x < last; ++x) { // compilers make vectors of it
                const std::int32_t side = std::min(here[x - 1], here[x + 1]);
                const std::int32_t up = std::min(std::min(above[x - 1], above[x]), above[x + 1]);
                const std::int32_t down = std::min(std::min(below[x - 1], below[x]), below[x + 1]);
                const std::int32_t lowest = std::min(std::min(up, down), side);
                pits |= static_cast<unsigned>(lowest >= here[x]) &
                        static_cast<unsigned>(outlet[x] == 0);
            }
            pit = pit || pits != 0;
        }
        if (pit) {
            found = true;
        }
    });
    return found;
}

} // namespace

std::int64_t fill_depressions(core::Run &run, Heights &heights,
                              const Field2D<std::uint8_t> &outlets) {
    if (!has_pit(run, heights, outlets)) {
        return 0;
    }
    // Any way down tells what drains, so any seed does.
    return Router(run, heights.extent(), 0).fill(run, heights, outlets);
}

Flow route(core::Run &run, const Heights &heights, const Field2D<std::uint8_t> &outlets,
           std::uint64_t seed) {
    Router router(run, heights.extent(), seed);
    router.on_ground(run, heights, outlets);
    return router.take();
}

void incise(core::Run &run, Heights &heights, const Flow &flow, const StreamPower &power,
            const Field2D<std::uint16_t> *softness, const Field2D<std::uint16_t> *steepness) {
    const auto offset = step_offsets(heights.width());
    flow.order.upwards(run, [&](std::int64_t i) {
        const std::uint8_t s = flow.step[i];
        if (s == kNoStep) {
            return;
        }
        const bool diagonal = (s & 1) != 0;
        const std::uint32_t soft = softness != nullptr ? (*softness)[i] : rules::kSame;
        const std::uint32_t steep = steepness != nullptr ? (*steepness)[i] : rules::kSame;
        heights[i] = rules::incised(heights[i], heights[i + offset[s]],
                                    rules::lost_share(power, flow.area[i], diagonal, soft),
                                    rules::largest_drop(power, diagonal, steep), power.slide);
    });
}

void widen(core::Run &run, Heights &heights, const Flow &flow, std::uint32_t least_area,
           std::int32_t rise, std::uint32_t share) {
    // In place: rivers stay, and their banks look at nothing but rivers and themselves.
    const Extent2 extent = heights.extent();
    run.for_ranges(extent.height, 8, [&](std::int64_t begin, std::int64_t end) {
        // Whether there is a river in a row or beside it in the next and the one before.
        std::vector<std::uint8_t> rivers(static_cast<std::size_t>(extent.width) + 2);
        for (std::int64_t y = begin; y < end; ++y) {
            const std::uint32_t *const above =
                flow.area.row(std::max<std::int64_t>(0, y - 1)).data();
            const std::uint32_t *const here = flow.area.row(y).data();
            const std::uint32_t *const below =
                flow.area.row(std::min(extent.height - 1, y + 1)).data();
            std::uint8_t *const near = rivers.data() + 1;
            for (std::int64_t x = 0; x < extent.width; ++x) {
                const std::uint32_t most = std::max(std::max(above[x], below[x]), here[x]);
                near[x] = most >= least_area ? 1 : 0;
            }
            for (std::int64_t x = 0; x < extent.width; ++x) {
                const std::int64_t i = y * extent.width + x;
                if ((near[x - 1] | near[x] | near[x + 1]) == 0 || here[x] >= least_area ||
                    flow.step[i] == kNoStep) {
                    continue;
                }
                std::int64_t bank = heights[i];
                for_steps(extent, x, y, [&](std::int64_t n, std::uint8_t) {
                    if (flow.area[n] >= least_area) {
                        bank = std::min(bank, std::int64_t{heights[n]} + rise);
                    }
                });
                heights[i] = rules::planed(heights[i], bank, share);
            }
        }
    });
}

namespace {

// What the cells of a row take from those below it, in all four directions of a link.
struct Exchange {
    explicit Exchange(std::int64_t width)
        : below(static_cast<std::size_t>(width)), lower_right(below.size()),
          lower_left(below.size()) {}
    // [x] is taken by cell x of the row from x, x + 1 and x - 1 of the row below; 0 beyond the map.
    std::vector<std::int32_t> below, lower_right, lower_left;
};

class CreepPass {
public:
    CreepPass(core::Run &run, Heights &heights, const Creep &rule,
              const Field2D<std::uint8_t> *fixed, const Field2D<std::uint16_t> *steepness)
        : run_(run), heights_(heights), fixed_(fixed), steepness_(steepness),
          width_(heights.width()), height_(heights.height()), kernel_(*erosion_kernels().back()) {
        const auto shares = [&](bool diagonal) {
            const rules::CreepLink link = rules::creep_link(rule, diagonal);
            return CreepShares{link.diffusion / 65536.0, link.slide / 65536.0,
                               static_cast<double>(link.talus)};
        };
        side_ = shares(false);
        corner_ = shares(true);
    }

    // In place, in blocks of rows that begin and end with copies of the rows beside them.
    void operator()() {
        const std::int64_t blocks = (height_ + kRows - 1) / kRows;
        Heights beside({width_, 2 * blocks}); // above and below each block
        for (std::int64_t block = 0; block < blocks; ++block) {
            const std::int64_t above = std::max<std::int64_t>(0, block * kRows - 1);
            const std::int64_t below = std::min(height_ - 1, (block + 1) * kRows);
            std::copy_n(heights_.row(above).data(), width_, beside.row(2 * block).data());
            std::copy_n(heights_.row(below).data(), width_, beside.row(2 * block + 1).data());
        }
        run_.for_ranges(blocks, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t block = begin; block < end; ++block) {
                pass(block * kRows, std::min(height_, (block + 1) * kRows),
                     beside.row(2 * block).data(), beside.row(2 * block + 1).data());
            }
        });
    }

private:
    static constexpr std::int64_t kRows = 32;

    const std::uint16_t *steep(std::int64_t y) const {
        return steepness_ == nullptr ? nullptr : steepness_->row(y).data();
    }

    // Between row y and the one below, whose heights are given.
    void exchange(std::int64_t y, const std::int32_t *a, const std::int32_t *b, Exchange &e) const {
        const std::uint16_t *const sa = steep(y);
        const std::uint16_t *const sb = steep(y + 1);
        const auto right = [](const std::uint16_t *s) { return s == nullptr ? s : s + 1; };
        kernel_.exchange(a, b, sa, sb, side_, width_, e.below.data());
        kernel_.exchange(a, b + 1, sa, right(sb), corner_, width_ - 1, e.lower_right.data());
        kernel_.exchange(a + 1, b, right(sa), sb, corner_, width_ - 1, e.lower_left.data() + 1);
    }

    void pass(std::int64_t begin, std::int64_t end, const std::int32_t *above,
              const std::int32_t *beyond) {
        Exchange before(width_); // 0 above the map
        Exchange after(width_);
        std::vector<std::int32_t> sideways(static_cast<std::size_t>(width_)); // x takes from x + 1
        if (begin > 0) {
            exchange(begin - 1, above, heights_.row(begin).data(), before);
        }
        for (std::int64_t y = begin; y < end; ++y) {
            std::int32_t *const row = heights_.row(y).data();
            kernel_.exchange(row, row + 1, steep(y), steep(y) == nullptr ? nullptr : steep(y) + 1,
                             side_, width_ - 1, sideways.data());
            if (y + 1 < height_) {
                exchange(y, row, y + 1 < end ? heights_.row(y + 1).data() : beyond, after);
            } else {
                after = Exchange(width_);
            }
            apply(y, row, sideways.data(), before, after);
            std::swap(before, after);
        }
    }

    void apply(std::int64_t y, std::int32_t *row, const std::int32_t *sideways,
               const Exchange &before, const Exchange &after) const {
        const std::uint8_t *const fixed = fixed_ == nullptr ? nullptr : fixed_->row(y).data();
        const auto take = [&](std::int64_t x, std::int32_t gain) {
            row[x] += fixed != nullptr && fixed[x] != 0 ? 0 : gain;
        };
        const std::int32_t *const below = after.below.data();
        const std::int32_t *const lower_right = after.lower_right.data();
        const std::int32_t *const lower_left = after.lower_left.data();
        const std::int32_t *const above = before.below.data();
        const std::int32_t *const upper_left = before.lower_right.data();
        const std::int32_t *const upper_right = before.lower_left.data();
        const std::int64_t last = width_ - 1;
        take(0,
             sideways[0] + below[0] + lower_right[0] - above[0] - (last > 0 ? upper_right[1] : 0));
        for (std::int64_t x = 1; x < last; ++x) {
            take(x, sideways[x] - sideways[x - 1] + below[x] + lower_right[x] + lower_left[x] -
                        above[x] - upper_left[x - 1] - upper_right[x + 1]);
        }
        if (last > 0) {
            take(last, -sideways[last - 1] + below[last] + lower_left[last] - above[last] -
                           upper_left[last - 1]);
        }
    }

    core::Run &run_;
    Heights &heights_;
    const Field2D<std::uint8_t> *fixed_;
    const Field2D<std::uint16_t> *steepness_;
    std::int64_t width_, height_;
    const ErosionKernel &kernel_;
    CreepShares side_, corner_;
};

} // namespace

void creep(core::Run &run, Heights &heights, const Creep &rule, const Field2D<std::uint8_t> *fixed,
           const Field2D<std::uint16_t> *steepness) {
    CreepPass(run, heights, rule, fixed, steepness)();
}

} // namespace karst::shape

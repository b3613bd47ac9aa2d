// Where a walker can stand and go, and the cave's topology.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <utility>

#include "core/disjoint_sets.hpp"
#include "core/fixed.hpp"
#include "generators/cave_volume.hpp"
#include "shape/row_runs.hpp"
#include "shape/surface.hpp"

namespace karst::cave_volume {

namespace {

// Square of the tangent of an angle of 0 to 89 degrees, from the sine table.
double tangent_squared(double degrees) {
    const auto &sine = core::quarter_sine();
    const auto index = static_cast<std::size_t>(degrees / 90 * 16384 + 0.5);
    const double s = sine[index];
    const double c = sine[16384 - index];
    return s * s / std::max(c * c, 1.0);
}

double share(std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

class Walker {
public:
    Walker(core::Run &run, const CaveVolumeParams &params, double cell, const Floors &floors)
        : run_(run), floors_(floors), cell_(cell), height_(to_units(params.agent_height)),
          step_(to_units(params.agent_step)), steepest_(tangent_squared(params.agent_slope)),
          layers_(static_cast<int>(params.agent_radius / cell + 0.5)) {
        // From a cell to the next it may climb a step, or go up the steepest slope.
        step_ = std::max(step_, static_cast<std::int32_t>(kUnit * std::sqrt(steepest_)));
        find_standing();
        find_parts();
    }

    // Rise over run, squared, of the floor at a span: by its neighbours' floors on both sides.
    double slope_squared(std::int64_t i) const {
        std::array<std::int32_t, 4> floor;
        floor.fill(floors_[i].bottom);
        std::array<bool, 4> there{};
        for_links(i, [&](std::int64_t j, int side) {
            floor[static_cast<std::size_t>(side)] = floors_[j].bottom;
            there[static_cast<std::size_t>(side)] = true;
        });
        const auto rise = [&](std::size_t a, std::size_t b) {
            const double run = (there[a] ? 1 : 0) + (there[b] ? 1 : 0);
            return run == 0 ? 0 : (floor[b] - floor[a]) / (kUnit * run);
        };
        const double x = rise(0, 1);
        const double y = rise(2, 3);
        return x * x + y * y;
    }

    const std::vector<std::uint8_t> &standing() const { return standing_; }
    bool stands(std::int64_t i) const { return standing_[static_cast<std::size_t>(i)] != 0; }
    // The part of the standing places that span i belongs to.
    std::int64_t part(std::int64_t i) const { return part_[static_cast<std::size_t>(i)]; }

private:
    std::int32_t to_units(double metres) const {
        return static_cast<std::int32_t>(kUnit * metres / cell_ + 0.5);
    }
    std::size_t count() const { return static_cast<std::size_t>(floors_.count()); }

    // f(j, side) for the spans that a walker of this height can step to from span i.
    template <class F>
    void for_links(std::int64_t i, F &&f) const {
        floors_.for_neighbours(i, [&](std::int64_t j, int side) {
            if (floors_.overlap(i, j) >= std::max(height_, 1) &&
                std::abs(floors_[i].bottom - floors_[j].bottom) <= step_) {
                f(j, side);
            }
        });
    }

    // High enough, flat enough, and a radius away from every place that is not.
    void find_standing() {
        standing_.assign(count(), 0);
        floors_.for_spans(run_, [&](std::int64_t i) {
            if (floors_[i].top - floors_[i].bottom >= height_ && slope_squared(i) <= steepest_) {
                standing_[static_cast<std::size_t>(i)] = 1;
            }
        });
        const auto [w, h] = floors_.extent();
        for (int layer = 0; layer < layers_; ++layer) {
            auto next = standing_;
            floors_.for_spans(run_, [&, w = w, h = h](std::int64_t i) {
                if (!stands(i)) {
                    return;
                }
                const std::int64_t x = floors_.x(i);
                const std::int64_t y = floors_.y(i);
                // A side at the volume's face is no wall.
                int open = (x == 0) + (x == w - 1) + (y == 0) + (y == h - 1);
                std::array<bool, 4> side_open{};
                for_links(i, [&](std::int64_t j, int side) {
                    side_open[static_cast<std::size_t>(side)] |= stands(j);
                });
                open += static_cast<int>(std::count(side_open.begin(), side_open.end(), true));
                if (open < 4) {
                    next[static_cast<std::size_t>(i)] = 0;
                }
            });
            standing_ = std::move(next);
        }
    }

    void find_parts() {
        core::DisjointSets<std::size_t> joined(count());
        // Of each slab on its own first: its sets have no members in others.
        const std::int64_t slab =
            std::max<std::int64_t>(1 << 12, floors_.count() / run_.executor().concurrency() + 1);
        const std::int64_t slabs = (floors_.count() + slab - 1) / slab;
        using Link = std::pair<std::int64_t, std::int64_t>;
        std::vector<std::vector<Link>> across(static_cast<std::size_t>(slabs));
        run_.for_ranges(slabs, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin * slab; i < std::min(floors_.count(), end * slab); ++i) {
                for_links(i, [&](std::int64_t j, int) {
                    if (j >= i || !stands(i) || !stands(j)) {
                        return;
                    }
                    if (j >= i / slab * slab) {
                        joined.unite(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
                    } else {
                        across[static_cast<std::size_t>(i / slab)].emplace_back(i, j);
                    }
                });
            }
        });
        for (const std::vector<Link> &links : across) {
            for (const auto &[i, j] : links) {
                joined.unite(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
            }
        }
        part_.resize(count());
        for (std::size_t i = 0; i < part_.size(); ++i) {
            part_[i] = static_cast<std::int64_t>(joined.root(i));
        }
    }

    core::Run &run_;
    const Floors &floors_;
    double cell_;
    std::int32_t height_;
    std::int32_t step_;
    double steepest_;
    int layers_;
    std::vector<std::uint8_t> standing_;
    std::vector<std::int64_t> part_; // the first span of that part
};

// The part under a mouth: of the standing places within three cells of it, and 2 m up or down, the
// nearest.
std::int64_t part_at(const Walker &walker, const Spans &spans, double cell,
                     const CaveEntrance &entrance) {
    const auto [w, h] = spans.extent;
    const auto place = [cell](double metres, std::int64_t cells) {
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(metres / cell), 0, cells - 1);
    };
    const std::int64_t x = place(entrance.position[0], w);
    const std::int64_t y = place(entrance.position[1], h);
    std::int64_t best = -1;
    std::int64_t nearest = 3 * 3 * 2 + 1;
    for (std::int64_t v = std::max<std::int64_t>(0, y - 3); v <= std::min(h - 1, y + 3); ++v) {
        for (std::int64_t u = std::max<std::int64_t>(0, x - 3); u <= std::min(w - 1, x + 3); ++u) {
            const std::int64_t far = (u - x) * (u - x) + (v - y) * (v - y);
            for (std::int64_t i = spans.begin(v * w + u); i < spans.end(v * w + u); ++i) {
                const double floor = spans[i].bottom * cell / kUnit;
                if (walker.stands(i) && far < nearest &&
                    std::abs(floor - entrance.position[2]) < 2) {
                    nearest = far;
                    best = walker.part(i);
                }
            }
        }
    }
    return best;
}

} // namespace

Walk walk(core::Run &run, const CaveVolumeParams &params, double cell, const Spans &spans,
          const Floors &floors, std::vector<CaveEntrance> &entrances) {
    const Walker walker(run, params, cell, floors);
    const auto count = static_cast<std::int64_t>(spans.spans.size());
    std::vector<std::int64_t> size(spans.spans.size());
    std::array<std::int64_t, 5> headroom{}; // below 1, 2, 4, 8 m, and above
    std::int64_t standing = 0;
    std::vector<double> slope(spans.spans.size());
    floors.for_spans(run, [&](std::int64_t i) {
        if (walker.stands(i)) {
            slope[static_cast<std::size_t>(i)] = std::sqrt(walker.slope_squared(i));
        }
    });
    double slopes = 0; // summed in the order of the spans
    for (std::int64_t i = 0; i < count; ++i) {
        const double metres = (spans[i].top - spans[i].bottom) * cell / kUnit;
        ++headroom[metres < 1 ? 0 : metres < 2 ? 1 : metres < 4 ? 2 : metres < 8 ? 3 : 4];
        if (walker.stands(i)) {
            ++standing;
            ++size[static_cast<std::size_t>(walker.part(i))];
            slopes += slope[static_cast<std::size_t>(i)];
        }
    }
    const auto largest = std::max_element(size.begin(), size.end()); // the first of equals
    std::int64_t reached = 0;
    for (CaveEntrance &entrance : entrances) {
        const std::int64_t part = part_at(walker, spans, cell, entrance);
        entrance.walkable = part >= 0 && part == largest - size.begin();
        reached += entrance.walkable ? 1 : 0;
    }
    return {walker.standing(),
            {{"floor_area", static_cast<double>(count) * cell * cell},
             {"walkable", share(largest == size.end() ? 0 : *largest, count)},
             {"standing", share(standing, count)},
             {"walkable_slope", standing == 0 ? 0 : slopes / static_cast<double>(standing)},
             {"entrances", static_cast<double>(entrances.size())},
             {"entrances_joined", static_cast<double>(reached)},
             {"headroom_below_1m", share(headroom[0], count)},
             {"headroom_1m_to_2m", share(headroom[1], count)},
             {"headroom_2m_to_4m", share(headroom[2], count)},
             {"headroom_4m_to_8m", share(headroom[3], count)},
             {"headroom_above_8m", share(headroom[4], count)}}};
}

Measures topology_measures(core::Run &run, const Field3D<std::uint16_t> &density) {
    const auto is_open = [](std::uint16_t value) { return value >= shape::kOpen; };
    const auto parts = shape::united(run, density, shape::Adjacency::six, is_open).find_regions();
    std::int64_t cells = 0;
    for (const shape::Region &part : parts) {
        cells += part.cells;
    }
    // Rock that hangs free in the air: in no face, which all lie against the outside.
    shape::RowRuns rock = shape::united(run, density, shape::Adjacency::twenty_six,
                                        [&](std::uint16_t value) { return !is_open(value); });
    std::vector<std::uint8_t> held(rock.find_regions().size());
    const auto [w, h, d] = density.extent();
    rock.for_runs(run, [&, w = w, h = h, d = d](std::int64_t line, std::int64_t begin,
                                                std::int64_t end, std::uint32_t region) {
        const std::int64_t y = line % h;
        const std::int64_t z = line / h;
        if (std::min({begin, y, z, w - end, h - 1 - y, d - 1 - z}) == 0) {
            std::atomic_ref(held[region]).store(1, std::memory_order_relaxed);
        }
    });
    const std::int64_t hanging = std::count(held.begin(), held.end(), std::uint8_t{0});
    const std::int64_t euler =
        shape::euler_characteristic(run, density, shape::kOpen, shape::Adjacency::six);
    const std::int64_t loops = static_cast<std::int64_t>(parts.size()) + hanging - euler;
    return {{"components", static_cast<double>(parts.size())},
            {"open_share", share(cells, density.size())},
            {"loops", static_cast<double>(loops)},
            {"hanging_rocks", static_cast<double>(hanging)}};
}

} // namespace karst::cave_volume

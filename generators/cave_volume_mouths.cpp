// The entrances of a plan's cave.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <tuple>
#include <vector>

#include "core/memory.hpp"
#include "core/rng.hpp"
#include "generators/cave_volume_joins.hpp"
#include "generators/cave_volume_ways.hpp"

namespace karst::cave_volume {

namespace {

// A mouth in a side face and the way from it to the cave.
struct MouthCandidate {
    std::uint32_t hash;
    std::int64_t inner; // the cell at the inset
    int dx, dy;         // outwards
};

std::vector<MouthCandidate> find_candidates(const CaveVolumeParams &params, const Grid &grid,
                                            const Tolls &toll, const VolumeMask &targets,
                                            std::uint64_t seed) {
    const auto [w, h, d] = grid.extent;
    const std::int64_t x0 = grid.inset(params, w);
    const std::int64_t y0 = grid.inset(params, h);
    const std::int64_t z0 = grid.inset(params, d);
    std::vector<MouthCandidate> candidates;
    const auto consider = [&](std::int64_t x, std::int64_t y, std::int64_t z, int dx, int dy) {
        if (toll.at(x, y, z) != 0 || targets.at(x, y, z) != 0) { // no way leads from elsewhere
            const core::Draw4 draw = core::draw_at(
                seed, static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
                static_cast<std::int32_t>(z), core::use(core::stage_cave_volume, 0, 9));
            candidates.push_back(
                {draw.word[0], (z * grid.extent.height + y) * grid.extent.width + x, dx, dy});
        }
    };
    for (std::int64_t z = z0; z < d - z0; ++z) {
        for (std::int64_t y = y0; y < h - y0; ++y) {
            consider(x0, y, z, -1, 0);
            consider(w - 1 - x0, y, z, 1, 0);
        }
        for (std::int64_t x = x0; x < w - x0; ++x) {
            consider(x, y0, z, 0, -1);
            consider(x, h - 1 - y0, z, 0, 1);
        }
    }
    return candidates;
}

// None if no way leads from any of the candidates, of which there is one. Looks no farther than it
// must.
std::optional<MouthCandidate> cheapest(Ways &ways, const std::vector<MouthCandidate> &candidates) {
    const auto key = [&](const MouthCandidate &its) {
        return std::tuple(ways.cost(its.inner), its.hash, its.inner, its.dx, its.dy);
    };
    while (true) {
        const MouthCandidate &best = *std::min_element(
            candidates.begin(), candidates.end(),
            [&](const MouthCandidate &a, const MouthCandidate &b) { return key(a) < key(b); });
        const std::uint64_t cost = ways.cost(best.inner); // no less than the final one
        if (cost < ways.known()) {
            return best;
        }
        if (ways.known() == Ways::kUnreached) {
            return std::nullopt;
        }
        ways.reach(cost == Ways::kUnreached ? 2 * ways.known() + 1 : cost + 1);
    }
}

// The cheapest mouths that lie apart: as far as can be had, but never closer than `least`.
std::vector<MouthCandidate> choose_mouths(const Grid &grid, Ways &ways,
                                          const std::vector<MouthCandidate> &candidates,
                                          std::size_t count, std::int64_t least) {
    const auto [w, h, d] = grid.extent;
    const auto far = [&, w = w, h = h](std::int64_t a, std::int64_t b) {
        return std::max({std::abs(a % w - b % w), std::abs(a / w % h - b / w % h),
                         std::abs(a / (w * h) - b / (w * h))});
    };
    std::vector<MouthCandidate> chosen;
    for (std::int64_t apart = std::max(std::max(w, h), least);; apart = apart * 3 / 4) {
        apart = std::max(apart, least);
        chosen.clear();
        std::vector<MouthCandidate> left = candidates;
        while (chosen.size() < count && !left.empty()) {
            const std::optional<MouthCandidate> mouth = cheapest(ways, left);
            if (!mouth) {
                break;
            }
            chosen.push_back(*mouth);
            std::erase_if(left, [&](const MouthCandidate &other) {
                return far(mouth->inner, other.inner) < apart;
            });
        }
        if (chosen.size() == count || apart == least) {
            return chosen;
        }
    }
}

} // namespace

void open_mouths(core::Run &run, const CaveVolumeParams &params, const Grid &grid, const Plan &plan,
                 std::int64_t tunnel, std::uint64_t seed, Rock &rock) {
    if (params.entrances == 0) {
        return;
    }
    const Extent3 extent = grid.extent;
    // To the middles of passages, where their floors are level; to any open cell if there are none.
    VolumeMask targets(extent, core::large_pages(run));
    std::atomic<bool> any_middle = false;
    run.for_ranges(targets.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        std::uint8_t any = 0;
        for (std::int64_t i = begin; i < end; ++i) {
            targets[i] = plan.path[i] != 0 && rock.open[i] != 0 ? 1 : 0;
            any |= targets[i];
        }
        if (any != 0) {
            any_middle = true;
        }
    });
    if (!any_middle) {
        targets = rock.open;
    }
    Ways ways(run, plan.toll, targets);
    VolumeMask way(extent, core::large_pages(run));
    VolumeMask drill(extent, core::large_pages(run));
    const auto mouths = choose_mouths(
        grid, ways, find_candidates(params, grid, plan.toll, targets, seed),
        static_cast<std::size_t>(params.entrances), std::max<std::int64_t>(2, (3 * tunnel) >> 8));
    for (const MouthCandidate &mouth : mouths) {
        ways.mark(mouth.inner, way);
        std::int64_t cell = mouth.inner;
        const std::int64_t side = mouth.dx != 0 ? extent.width : extent.height;
        for (std::int64_t i = grid.inset(params, side); i > 0; --i) {
            cell += mouth.dx + mouth.dy * extent.width;
            drill[cell] = 1;
        }
        rock.mouths.push_back(cell);
    }
    const VolumeMask wide = dilated(run, way, tunnel);
    const VolumeMask bore = dilated(run, drill, tunnel);
    run.for_ranges(wide.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            if (bore[i] != 0 || way[i] != 0 || (wide[i] != 0 && plan.wall[i] < kCertain)) {
                rock.open[i] = 1;
            }
        }
    });
}

} // namespace karst::cave_volume

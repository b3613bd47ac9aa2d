// The cheapest tree of tunnels between the regions of a plan.
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "core/disjoint_sets.hpp"
#include "core/memory.hpp"
#include "generators/cave_volume_joins.hpp"
#include "generators/cave_volume_ways.hpp"
#include "generators/cave_ways.hpp"

namespace karst::cave_volume {

namespace {

using cave::Meeting;
// Costs that are looked at first: a few steps through the dearest rock.
constexpr std::uint64_t kFirst = 2048;

using Regions = std::pair<std::uint32_t, std::uint32_t>; // labels, ascending

// Labels the cells whose costs are known by the region that their ways lead to.
void extend_labels(core::Run &run, const Ways &ways, Field3D<std::uint32_t> &label) {
    const auto its = [&](std::int64_t i) { return std::atomic_ref(label[i]); };
    const std::uint64_t known = ways.known();
    run.for_ranges(label.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::int64_t> way;
        for (std::int64_t i = begin; i < end; ++i) {
            if (ways.cost(i) >= known) {
                continue;
            }
            way.clear();
            std::int64_t cell = i;
            std::uint32_t region = its(cell).load(std::memory_order_relaxed);
            while (region == 0) {
                way.push_back(cell);
                cell = ways.next(cell);
                region = its(cell).load(std::memory_order_relaxed);
            }
            for (const std::int64_t on : way) { // whoever gets there writes the same
                its(on).store(region, std::memory_order_relaxed);
            }
        }
    });
}

// Of face-adjacent cells whose ways lead to two regions; the least for each two. All others cost at
// least `others`.
struct Meetings {
    std::map<Regions, Meeting> least;
    std::uint64_t others;
};

Meetings find_meetings(core::Run &run, const Ways &ways, const Tolls &toll,
                       const Field3D<std::uint32_t> &label) {
    const auto [w, h, d] = label.extent();
    const std::uint64_t known = ways.known();
    Meetings all{{}, 2 * known}; // of two cells whose costs are not known
    std::mutex mutex;
    run.for_ranges(h * d, 8, [&, w = w, h = h, d = d](std::int64_t begin, std::int64_t end) {
        Meetings its{{}, all.others};
        const auto meet = [&](std::int64_t a, std::int64_t b) {
            const std::uint64_t cost_a = ways.cost(a);
            const std::uint64_t cost_b = ways.cost(b);
            if (cost_a < known && cost_b < known) {
                if (label[a] != label[b]) {
                    const Meeting here{static_cast<std::uint32_t>(cost_a + cost_b),
                                       static_cast<std::uint32_t>(a),
                                       static_cast<std::uint32_t>(b)};
                    Meeting &least =
                        its.least.try_emplace(std::minmax(label[a], label[b]), here).first->second;
                    least = std::min(least, here);
                }
            } else if ((cost_a < known && toll[b] != 0) || (cost_b < known && toll[a] != 0)) {
                its.others = std::min(its.others, std::min(cost_a, cost_b) + known);
            }
        };
        for (std::int64_t line = begin; line < end; ++line) {
            for (std::int64_t i = line * w; i < (line + 1) * w; ++i) {
                if (i + 1 < (line + 1) * w) {
                    meet(i, i + 1);
                }
                if ((line + 1) % h != 0) {
                    meet(i, i + w);
                }
                if (line + h < h * d) {
                    meet(i, i + w * h);
                }
            }
        }
        const std::lock_guard lock(mutex);
        all.others = std::min(all.others, its.others);
        for (const auto &[regions, here] : its.least) {
            Meeting &least = all.least.try_emplace(regions, here).first->second;
            least = std::min(least, here);
        }
    });
    return all;
}

// The meetings of the cheapest tree (Kruskal) so far as it is known for certain.
std::vector<Meeting> find_tree(const Meetings &meetings, std::size_t regions) {
    std::vector<std::pair<Meeting, Regions>> sorted;
    for (const auto &[its, meeting] : meetings.least) {
        if (meeting.cost < meetings.others) {
            sorted.emplace_back(meeting, its);
        }
    }
    std::sort(sorted.begin(), sorted.end());
    core::DisjointSets<std::size_t> joined(regions + 1);
    std::vector<Meeting> tree;
    for (const auto &[meeting, its] : sorted) {
        if (joined.unite(its.first, its.second)) {
            tree.push_back(meeting);
        }
    }
    return tree;
}

} // namespace

VolumeMask find_tunnels(core::Run &run, const VolumeMask &open, const Tolls &toll) {
    VolumeMask path(open.extent(), core::large_pages(run));
    shape::VolumeRegions regions = shape::regions(run, open, shape::Adjacency::six);
    const std::size_t count = regions.regions.size();
    if (count < 2) {
        return path;
    }
    Ways ways(run, toll, open);
    std::vector<Meeting> tree;
    for (std::uint64_t cost = kFirst; tree.size() + 1 < count; cost += cost / 2) {
        ways.reach(cost);
        extend_labels(run, ways, regions.label);
        tree = find_tree(find_meetings(run, ways, toll, regions.label), count);
        if (ways.known() == Ways::kUnreached) {
            break; // rock that nothing may open keeps regions apart
        }
    }
    for (const Meeting &meeting : tree) {
        ways.mark(meeting.a, path);
        ways.mark(meeting.b, path);
    }
    return path;
}

} // namespace karst::cave_volume

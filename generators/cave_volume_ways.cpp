#include "generators/cave_volume_ways.hpp"

#include <atomic>
#include <tuple>

#include "core/memory.hpp"

namespace karst::cave_volume {

Ways::Ways(core::Run &run, const Tolls &toll, const VolumeMask &targets)
    : run_(run), moves_(toll),
      cost_(core::unwritten_array<std::uint32_t>(static_cast<std::size_t>(targets.size()))) {
    run.for_ranges(targets.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            cost_[static_cast<std::size_t>(i)] = targets[i] != 0 ? 0 : kUnreached;
        }
    });
    run.for_ranges(targets.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        Cells lowered;
        for (std::int64_t i = begin; i < end; ++i) {
            if (targets[i] != 0) {
                lower_around(i, lowered);
            }
        }
        add(lowered);
    });
}

void Ways::reach(std::uint64_t cost) {
    std::vector<std::uint32_t> now;
    while (known() < cost) {
        auto &its = cells_[level_ % kLevels];
        while (!its.empty()) {
            now.clear();
            now.swap(its);
            waiting_ -= now.size();
            run_.for_ranges(static_cast<std::int64_t>(now.size()), 256,
                            [&](std::int64_t begin, std::int64_t end) {
                                Cells lowered;
                                for (std::int64_t i = begin; i < end; ++i) {
                                    lower_around(now[static_cast<std::size_t>(i)], lowered);
                                }
                                add(lowered);
                            });
        }
        ++level_;
    }
}

// Lowers the costs of the cells that a way can come from.
void Ways::lower_around(std::int64_t cell, Cells &lowered) {
    const auto its = [&](std::int64_t i) {
        return std::atomic_ref(cost_[static_cast<std::size_t>(i)]);
    };
    const std::uint64_t cost = its(cell).load(std::memory_order_relaxed);
    if (cost < level_ * kWidth) {
        return; // it came to an earlier level as well
    }
    moves_.from(cell, [&](std::int64_t to, std::uint32_t price) {
        const std::uint64_t sum = cost + price;
        std::uint32_t before = its(to).load(std::memory_order_relaxed);
        while (sum < before) {
            if (its(to).compare_exchange_weak(before, static_cast<std::uint32_t>(sum),
                                              std::memory_order_relaxed)) {
                lowered[sum / kWidth % kLevels].push_back(static_cast<std::uint32_t>(to));
                return;
            }
        }
    });
}

void Ways::add(const Cells &lowered) {
    const std::lock_guard lock(mutex_);
    for (std::size_t level = 0; level < kLevels; ++level) {
        cells_[level].insert(cells_[level].end(), lowered[level].begin(), lowered[level].end());
        waiting_ += lowered[level].size();
    }
}

std::int64_t Ways::next(std::int64_t cell) const {
    std::pair<std::uint32_t, std::int64_t> best{cost(cell), cell};
    moves_.to(cell, [&](std::int64_t from, std::uint32_t price) {
        if (std::uint64_t{cost(from)} + price == cost(cell)) {
            best = std::min(best, {cost(from), from});
        }
    });
    return best.second;
}

void Ways::mark(std::int64_t cell, VolumeMask &path) const {
    path[cell] = 1;
    for (std::int64_t to = next(cell); to != cell; to = next(cell)) {
        moves_.between(to, cell, [&](std::int64_t i) { path[i] = 1; });
        path[to] = 1;
        cell = to;
    }
}

} // namespace karst::cave_volume

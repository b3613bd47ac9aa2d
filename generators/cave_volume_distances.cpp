#include "generators/cave_volume_distances.hpp"

#include <atomic>
#include <mutex>
#include <utility>

namespace karst::cave_volume {

namespace {

// All that is equally far goes on in parallel.
class Distances {
public:
    Distances(core::Run &run, const Floors &floors, std::uint32_t most)
        : run_(run), floors_(floors), most_(most),
          square_(static_cast<std::size_t>(floors.count()), most),
          nearest_(static_cast<std::size_t>(floors.count()), UINT32_MAX) {}

    std::vector<std::uint32_t> from(const std::vector<Source> &sources) && {
        add(sources);
        for (std::uint32_t square = 0; square < waiting_.size(); ++square) {
            const std::vector<Source> now = std::move(waiting_[square]);
            const auto for_now = [&](auto &&f) {
                run_.for_ranges(static_cast<std::int64_t>(now.size()), 512,
                                [&](std::int64_t begin, std::int64_t end) {
                                    std::vector<Source> next;
                                    for (std::int64_t i = begin; i < end; ++i) {
                                        f(now[static_cast<std::size_t>(i)], next);
                                    }
                                    add(next);
                                });
            };
            for_now([&](const Source &at, std::vector<Source> &) { choose(at); });
            for_now([&](const Source &at, std::vector<Source> &next) { hand_on(at, next); });
        }
        return std::move(square_);
    }

private:
    // Of the columns that a span hears of at once.
    void choose(const Source &at) {
        const auto span = static_cast<std::size_t>(at.span);
        if (at.square < square_[span]) {
            const std::atomic_ref nearest(nearest_[span]);
            std::uint32_t known = nearest.load(std::memory_order_relaxed);
            while (at.column < known &&
                   !nearest.compare_exchange_weak(known, at.column, std::memory_order_relaxed)) {
            }
        }
    }

    void hand_on(const Source &at, std::vector<Source> &next) {
        const auto its = [&](std::int64_t span) {
            return std::atomic_ref(square_[static_cast<std::size_t>(span)]);
        };
        std::uint32_t unknown = most_;
        if (at.square >= most_ || nearest_[static_cast<std::size_t>(at.span)] != at.column ||
            !its(at.span).compare_exchange_strong(unknown, at.square, std::memory_order_relaxed)) {
            return;
        }
        const std::int64_t w = floors_.extent().width;
        floors_.for_neighbours(at.span, [&](std::int64_t j, int) {
            const std::int64_t dx = floors_.x(j) - at.column % w;
            const std::int64_t dy = floors_.y(j) - at.column / w;
            const auto far = static_cast<std::uint32_t>(dx * dx + dy * dy);
            // Never back to the source, which may lie on another floor of that column.
            if (far > at.square && far < its(j).load(std::memory_order_relaxed)) {
                next.push_back({far, at.column, j});
            }
        });
    }

    void add(const std::vector<Source> &sources) {
        const std::lock_guard lock(mutex_);
        for (const Source &source : sources) {
            if (source.square >= waiting_.size()) {
                waiting_.resize(std::size_t{source.square} + 1);
            }
            waiting_[source.square].push_back(source);
        }
    }

    core::Run &run_;
    const Floors &floors_;
    std::uint32_t most_;
    std::vector<std::uint32_t> square_;        // of a span, most_ until it is known
    std::vector<std::uint32_t> nearest_;       // column for it
    std::vector<std::vector<Source>> waiting_; // by their squares
    std::mutex mutex_;                         // for waiting_
};

} // namespace

std::vector<std::uint32_t> distances(core::Run &run, const Floors &floors,
                                     const std::vector<Source> &sources, std::uint32_t most) {
    return Distances(run, floors, most).from(sources);
}

} // namespace karst::cave_volume

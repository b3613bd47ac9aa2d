#include "sim/tune_search.hpp"

#include <algorithm>
#include <map>

namespace karst::sim {

namespace {

constexpr std::int64_t kSmallSpace = 24; // points, all of which are tried
constexpr std::uint32_t kCoarsePoints = 16;
constexpr std::size_t kStarts = 3;   // of the coarse points from which the search goes on
constexpr double kWorthAStep = 0.99; // of the cost: less of a gain may be noise

// Digits of i in a base, behind the point in reverse: such numbers fill [0, 1) evenly.
double radical_inverse(std::uint32_t i, std::uint32_t base) {
    double value = 0;
    double digit = 1;
    for (; i > 0; i /= base) {
        digit /= base;
        value += digit * (i % base);
    }
    return value;
}

class Search {
public:
    explicit Search(const TuneProblem &problem) : problem_(problem) {}

    TuneFound run() {
        consider(standard_point(problem_.axes));
        coarse();
        std::vector<TuningPoint> starts = best_points();
        for (const TuningPoint &start : starts) {
            descend(start);
        }
        TuneFound found{{}, 0, static_cast<int>(costs_.size()), !ended_};
        found.best = best_points().front();
        found.cost = costs_.at(found.best);
        return found;
    }

private:
    // The reduced point, if the device can do it and there is time.
    std::optional<TuningPoint> consider(const TuningPoint &point) {
        const auto reduced = problem_.reduce(point);
        if (!reduced || costs_.find(*reduced) != costs_.end()) {
            return reduced;
        }
        if (!costs_.empty() && (ended_ = ended_ || !problem_.go_on())) {
            return {};
        }
        costs_.emplace(*reduced, problem_.cost(*reduced));
        return reduced;
    }

    void coarse() {
        std::int64_t points = 1;
        for (const TuningAxis &axis : problem_.axes) {
            points *= static_cast<std::int64_t>(axis.values.size());
        }
        const bool all = points <= kSmallSpace;
        constexpr std::uint32_t kBases[] = {2, 3, 5, 7, 11, 13, 17, 19};
        const auto count = all ? static_cast<std::uint32_t>(points) : kCoarsePoints;
        for (std::uint32_t i = 0; i < count; ++i) {
            TuningPoint point;
            std::uint32_t rest = i;
            for (std::size_t k = 0; k < problem_.axes.size(); ++k) {
                const auto &values = problem_.axes[k].values;
                const auto size = static_cast<std::uint32_t>(values.size());
                const auto its = static_cast<std::uint32_t>(
                    size * radical_inverse(i + 1, kBases[k % std::size(kBases)]));
                point.push_back(values[all ? rest % size : its]);
                rest /= size;
            }
            consider(point);
        }
    }

    // The cheapest points up to now, kStarts at most.
    std::vector<TuningPoint> best_points() const {
        std::vector<std::pair<double, TuningPoint>> order;
        for (const auto &[point, cost] : costs_) {
            order.emplace_back(cost, point);
        }
        std::sort(order.begin(), order.end());
        std::vector<TuningPoint> best;
        for (std::size_t i = 0; i < std::min(kStarts, order.size()); ++i) {
            best.push_back(order[i].second);
        }
        return best;
    }

    // Axis by axis to a cheaper point, until no axis leads on.
    void descend(TuningPoint point) {
        for (std::size_t unmoved = 0, k = 0; unmoved < problem_.axes.size() && !ended_;
             k = (k + 1) % problem_.axes.size()) {
            unmoved = move_along(k, point) ? 0 : unmoved + 1;
        }
    }

    // False: no point of the axis is cheaper.
    bool move_along(std::size_t k, TuningPoint &point) {
        const TuningAxis &axis = problem_.axes[k];
        bool moved = false;
        // True: another value of the axis is cheaper, and the point has it now.
        const auto step_to = [&](std::int32_t value) {
            TuningPoint other = point;
            other[k] = value;
            const auto reduced = consider(other);
            if (!reduced || costs_.at(*reduced) >= kWorthAStep * costs_.at(point)) {
                return false;
            }
            point = *reduced;
            return moved = true;
        };
        if (axis.kinds) {
            for (const std::int32_t value : axis.values) {
                step_to(value);
            }
            return moved;
        }
        const auto size = static_cast<std::int64_t>(axis.values.size());
        const auto at = std::find(axis.values.begin(), axis.values.end(), point[k]);
        const std::int64_t start = at - axis.values.begin();
        for (const std::int64_t way : {1, -1}) {
            // Past values that are as good or not possible at most once, for they may hide others.
            for (std::int64_t i = start + way, misses = 0; i >= 0 && i < size && misses < 2;
                 i += way) {
                misses = step_to(axis.values[static_cast<std::size_t>(i)]) ? 0 : misses + 1;
            }
            if (moved) {
                break;
            }
        }
        return moved;
    }

    const TuneProblem &problem_;
    std::map<TuningPoint, double> costs_; // of reduced points
    bool ended_ = false;
};

} // namespace

TuneFound search_best(const TuneProblem &problem) {
    return Search(problem).run();
}

} // namespace karst::sim

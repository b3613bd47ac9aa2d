#include "lab/lyapunov.hpp"

#include <numeric>
#include <string>

#include <karst/error.hpp>

namespace karst::lab {

std::optional<Plateau> find_plateau(std::span<const Separation> points, double tolerance) {
    constexpr std::size_t kLeast = 3;
    Plateau best;
    for (std::size_t first = 0; first < points.size(); ++first) {
        double low = std::numeric_limits<double>::infinity();
        double high = -low;
        double sum = 0;
        for (std::size_t end = first; end < points.size(); ++end) {
            if (points[end].coincidences > 0) {
                break;
            }
            low = std::min(low, points[end].exponent);
            high = std::max(high, points[end].exponent);
            if (!(high - low <= tolerance)) {
                break;
            }
            sum += points[end].exponent;
            const std::size_t count = end - first + 1;
            if (count > best.count) {
                best = {sum / static_cast<double>(count), high - low, first, count};
            }
        }
    }
    return best.count >= kLeast ? std::optional(best) : std::nullopt;
}

double determinant(const Matrix<1> &m) {
    return m[0][0];
}

double determinant(const Matrix<2> &m) {
    return m[0][0] * m[1][1] - m[0][1] * m[1][0];
}

FirstPassages::FirstPassages(double first, double ratio, std::size_t count) : sums_(count) {
    if (!(first > 0 && ratio > 1 && count >= 1)) {
        throw Error(ErrorCode::invalid_argument,
                    "the sizes of first passages are " + std::to_string(count) + " from " +
                        std::to_string(first) + " by a factor of " + std::to_string(ratio) +
                        "; allowed is 1 or more, above 0, a factor above 1");
    }
    for (std::size_t i = 0; i <= count; ++i) {
        sizes_.push_back(i == 0 ? first : sizes_.back() * ratio);
    }
}

void FirstPassages::add(std::span<const double> curve) {
    std::vector<std::int64_t> times(curve.size());
    std::iota(times.begin(), times.end(), std::int64_t{0});
    add(times, curve);
}

void FirstPassages::add(std::span<const std::int64_t> times, std::span<const double> curve) {
    std::size_t time = 0;
    const auto pass = [&](double size) {
        while (time < curve.size() && curve[time] < size) {
            ++time;
        }
        return time < curve.size();
    };
    if (!pass(sizes_[0])) {
        return;
    }
    for (std::size_t n = 0; n < sums_.size(); ++n) {
        const std::size_t before = time;
        if (!pass(sizes_[n + 1])) {
            ++sums_[n].stayed;
            return;
        }
        ++sums_[n].passages;
        sums_[n].time += times[time] - times[before];
        sums_[n].growth += logarithm(curve[time] / curve[before]);
    }
}

std::vector<FirstPassages::Exponent> FirstPassages::exponents() const {
    std::vector<Exponent> result;
    for (std::size_t n = 0; n < sums_.size(); ++n) {
        const Sums &sums = sums_[n];
        const double value = sums.time > 0 ? sums.growth / static_cast<double>(sums.time)
                                           : std::numeric_limits<double>::quiet_NaN();
        result.push_back({sizes_[n], value, sums.passages, sums.stayed});
    }
    return result;
}

} // namespace karst::lab

#include "lab/life_damage.hpp"

#include <bit>
#include <limits>
#include <string>

#include <karst/error.hpp>

#include "lab/cellular.hpp"
#include "lab/real.hpp"
#include "rules/life.hpp"

namespace karst::lab {

namespace {

// What a defect of a cell or of a neighbour does to a cell, 0 or 1.
struct Derivatives {
    double centre, live_neighbour, dead_neighbour;
};

Derivatives derivatives_of(LifeRule rule, bool alive, int neighbours) {
    const bool next = rules::next_cell(alive, neighbours, rule);
    const auto differs = [&](bool centre, int count) { // counts that do not occur have no effect
        return count < 0 || count > 8 || rules::next_cell(centre, count, rule) == next ? 0.0 : 1.0;
    };
    return {differs(!alive, neighbours), differs(alive, neighbours - 1),
            differs(alive, neighbours + 1)};
}

// Cells with a border of one cell that repeats the torus.
template <class T>
class Bordered {
public:
    explicit Bordered(Extent2 extent)
        : extent_(extent), cells_({extent.width + 2, extent.height + 2}) {}

    T &at(std::int64_t x, std::int64_t y) { return cells_.at(x + 1, y + 1); }

    void close() {
        const auto [width, height] = extent_;
        for (std::int64_t y = 0; y < height; ++y) {
            at(-1, y) = at(width - 1, y);
            at(width, y) = at(0, y);
        }
        for (std::int64_t x = -1; x <= width; ++x) {
            at(x, -1) = at(x, height - 1);
            at(x, height) = at(x, 0);
        }
    }

    // f(value) of the eight neighbours, row by row.
    template <class F>
    void neighbours(std::int64_t x, std::int64_t y, F &&f) {
        for (std::int64_t j = y - 1; j <= y + 1; ++j) {
            for (std::int64_t i = x - 1; i <= x + 1; ++i) {
                if (i != x || j != y) {
                    f(i, j);
                }
            }
        }
    }

    Field2D<T> &all() { return cells_; }

private:
    Extent2 extent_;
    Field2D<T> cells_;
};

// One step of the defects; their sum.
double grow(LifeRule rule, const LifeBoard &board, Bordered<double> &defects,
            Bordered<double> &grown) {
    const auto [width, height] = board.extent();
    Bordered<std::uint8_t> cells(board.extent());
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
            cells.at(x, y) = board.alive(x, y) ? 1 : 0;
        }
    }
    cells.close();
    double sum = 0;
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
            int count = 0;
            double live = 0;
            double dead = 0;
            cells.neighbours(x, y, [&](std::int64_t i, std::int64_t j) {
                count += cells.at(i, j);
                (cells.at(i, j) != 0 ? live : dead) += defects.at(i, j);
            });
            const Derivatives its = derivatives_of(rule, cells.at(x, y) != 0, count);
            const double value = its.centre * defects.at(x, y) + its.live_neighbour * live +
                                 its.dead_neighbour * dead;
            grown.at(x, y) = value;
            sum += value;
        }
    }
    return sum;
}

} // namespace

std::vector<std::int64_t> sensitive_pairs(LifeRule rule) {
    return sensitive_pairs(9, [rule](std::uint32_t x) { // bit 0: the cell
        return rules::next_cell((x & 1) != 0, std::popcount(x >> 1), rule);
    });
}

std::vector<SoupDamage::Point> SoupDamage::measure(LifeRule rule,
                                                   std::span<const std::int64_t> times,
                                                   const Options &options) const {
    if (block < 64 || block % 64 != 0 || blocks < 1) {
        throw Error(ErrorCode::invalid_argument,
                    std::to_string(blocks) + " blocks of " + std::to_string(block) +
                        " cells a side; allowed are one or more of a multiple of 64");
    }
    const std::int64_t side = block * blocks;
    LifeBoard one = make_soup({side, side}, density, seed, {}, options);
    LifeBoard other = one;
    for (std::int64_t y = block / 2; y < side; y += block) {
        for (std::int64_t x = block / 2; x < side; x += block) {
            other.set(x, y, !other.alive(x, y));
        }
    }
    std::vector<Point> points;
    std::int64_t now = 0;
    for (const std::int64_t t : times) {
        if (t < now || 2 * t + 1 > block) {
            throw Error(ErrorCode::invalid_argument, "damage at generation " + std::to_string(t) +
                                                         " after " + std::to_string(now) +
                                                         "; allowed are rising ones up to " +
                                                         std::to_string((block - 1) / 2));
        }
        one = simulate_life(one, rule, LifeBoundary::torus, t - now, options);
        other = simulate_life(other, rule, LifeBoundary::torus, t - now, options);
        now = t;
        std::vector<double> sizes(static_cast<std::size_t>(blocks * blocks));
        for (std::int64_t y = 0; y < side; ++y) {
            for (std::int64_t i = 0; i < side / 64; ++i) {
                const auto place = (y / block) * blocks + 64 * i / block;
                sizes[static_cast<std::size_t>(place)] +=
                    std::popcount(one.words().at(i, y) ^ other.words().at(i, y));
            }
        }
        Point point{t, mean_of(sizes), 0};
        for (const double size : sizes) {
            point.alive += size > 0 ? 1 : 0;
        }
        points.push_back(point);
    }
    return points;
}

double boolean_exponent(LifeRule rule, LifeBoard board, std::int64_t transient, std::int64_t steps,
                        const Options &options) {
    const auto [width, height] = board.extent();
    if (width < 3 || height < 3) {
        throw Error(ErrorCode::invalid_argument,
                    "a torus of " + std::to_string(width) + "x" + std::to_string(height) +
                        " cells; allowed is 3 or more a side, where no neighbour counts twice");
    }
    board = simulate_life(board, rule, LifeBoundary::torus, transient, options);
    Bordered<double> defects(board.extent());
    Bordered<double> grown(board.extent());
    std::fill(defects.all().cells().begin(), defects.all().cells().end(), 1.0);
    const auto cells = static_cast<double>(width * height);
    double sum = cells;
    std::int64_t doublings = 0;
    for (std::int64_t t = 0; t < steps; ++t) {
        sum = grow(rule, board, defects, grown);
        if (sum == 0) {
            return -std::numeric_limits<double>::infinity();
        }
        constexpr double kLarge = 0x1p200; // powers of two round nothing
        if (sum > kLarge) {
            for (double &count : grown.all().cells()) {
                count /= kLarge;
            }
            sum /= kLarge;
            doublings += 200;
        }
        grown.close();
        std::swap(defects, grown);
        board = simulate_life(board, rule, LifeBoundary::torus, 1, options);
    }
    const double growth = logarithm(sum / cells) + static_cast<double>(doublings) * logarithm(2);
    return growth / static_cast<double>(steps);
}

} // namespace karst::lab

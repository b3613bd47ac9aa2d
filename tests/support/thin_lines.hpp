// Thick lines to thin ones, for tests: thinning after Zhang and Suen (Communications of the ACM
// 27(3), 1984) with cells that stay, and what one can count on the result.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <karst/field.hpp>

namespace karst::test {

// A tree or net one cell thick between the kept cells; nothing may touch the border of the field.
class ThinLines {
public:
    ThinLines(Field2D<std::uint8_t> mask, const std::vector<std::int64_t> &kept)
        : bits_(std::move(mask)), kept_(bits_.extent()) {
        for (const std::int64_t i : kept) {
            bits_[i] = kept_[i] = 1;
        }
        while (thin(0) + thin(1) > 0) {
        }
        while (prune() > 0) {
        }
    }

    const Field2D<std::uint8_t> &bits() const { return bits_; }

    // Cells where three or more branches meet, clusters of them as one.
    int junctions() const {
        Field2D<std::uint8_t> left(bits_.extent());
        for_cells([&](std::int64_t i) { left[i] = crossings(i) >= 3 ? 1 : 0; });
        int count = 0;
        for_cells([&](std::int64_t i) {
            std::vector<std::int64_t> stack;
            if (left[i] != 0) {
                ++count;
                stack.push_back(i);
            }
            while (!stack.empty()) {
                const std::int64_t at = stack.back();
                stack.pop_back();
                left[at] = 0;
                for (const std::int64_t n : ring(at)) {
                    if (left[n] != 0) {
                        stack.push_back(n);
                    }
                }
            }
        });
        return count;
    }

    // In cells, along the lines between two of their cells: through every eighth cell, so that the
    // steps of the grid do not count. 0 if they are not joined.
    double length(std::int64_t from, std::int64_t to) const {
        std::vector<std::int64_t> before(static_cast<std::size_t>(bits_.size()), -1);
        std::vector<std::int64_t> queue{to};
        before[static_cast<std::size_t>(to)] = to;
        for (std::size_t k = 0; k < queue.size(); ++k) {
            for (const std::int64_t n : ring(queue[k])) {
                if (bits_[n] != 0 && before[static_cast<std::size_t>(n)] < 0) {
                    before[static_cast<std::size_t>(n)] = queue[k];
                    queue.push_back(n);
                }
            }
        }
        double sum = 0;
        std::int64_t last = from;
        std::int64_t at = from;
        for (int k = 1; at != to; ++k) {
            at = before[static_cast<std::size_t>(at)];
            if (at < 0) {
                return 0;
            }
            if (k % 8 == 0 || at == to) {
                const std::int64_t w = bits_.width();
                sum += std::hypot(at % w - last % w, at / w - last / w);
                last = at;
            }
        }
        return sum;
    }

private:
    std::array<std::int64_t, 8> ring(std::int64_t i) const { // clockwise from above
        const std::int64_t w = bits_.width();
        return {i - w, i - w + 1, i + 1, i + w + 1, i + w, i + w - 1, i - 1, i - w - 1};
    }

    int neighbours(std::int64_t i) const {
        int count = 0;
        for (const std::int64_t n : ring(i)) {
            count += bits_[n];
        }
        return count;
    }

    int crossings(std::int64_t i) const {
        const auto r = ring(i);
        int count = 0;
        for (std::size_t k = 0; k < 8; ++k) {
            count += bits_[r[k]] == 0 && bits_[r[(k + 1) % 8]] != 0 ? 1 : 0;
        }
        return count;
    }

    template <class F>
    void for_cells(F &&f) const {
        for (std::int64_t y = 1; y + 1 < bits_.height(); ++y) {
            for (std::int64_t x = 1; x + 1 < bits_.width(); ++x) {
                if (bits_.at(x, y) != 0) {
                    f(y * bits_.width() + x);
                }
            }
        }
    }

    int remove(const std::vector<std::int64_t> &cells) {
        for (const std::int64_t i : cells) {
            bits_[i] = 0;
        }
        return static_cast<int>(cells.size());
    }

    int thin(std::size_t half) {
        std::vector<std::int64_t> gone;
        for_cells([&](std::int64_t i) {
            const auto r = ring(i);
            const int n = neighbours(i);
            const int a = bits_[r[0]] * bits_[r[2]] * bits_[r[half == 0 ? 4 : 6]];
            const int b = bits_[r[half == 0 ? 2 : 0]] * bits_[r[4]] * bits_[r[6]];
            if (kept_[i] == 0 && n >= 2 && n <= 6 && crossings(i) == 1 && a == 0 && b == 0) {
                gone.push_back(i);
            }
        });
        return remove(gone);
    }

    // Ends that are not kept.
    int prune() {
        std::vector<std::int64_t> gone;
        for_cells([&](std::int64_t i) {
            if (kept_[i] == 0 && neighbours(i) <= 1) {
                gone.push_back(i);
            }
        });
        return remove(gone);
    }

    Field2D<std::uint8_t> bits_;
    Field2D<std::uint8_t> kept_;
};

} // namespace karst::test

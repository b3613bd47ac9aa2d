// Watershed by the drop of water (Cousty, Bertrand, Najman, Couprie 2009): every cell points to its
// steepest lower neighbour, on a plateau to the next cell on a shortest way to its lower border,
// and belongs to the minimum at the end. It cuts along the same saddles as a flood from the minima
// and needs no queue over all cells, so that all but the plateaus runs in parallel.
#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "shape/grid.hpp"
#include "shape/shape.hpp"

namespace karst::shape {

namespace {

constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMaxCells = std::int64_t{1} << 30; // 7 * cells fits 33 bits, an index 32

constexpr std::int64_t kFieldGrain = 1 << 13; // cells a task takes at least

using Field = Field2D<std::uint32_t>;

class Watershed {
public:
    Watershed(core::Run &run, const Field &field, Boundary edges, std::uint64_t seed, Cell2 origin)
        : run_(run), field_(field), extent_(field.extent()), edges_(edges), seed_(seed),
          origin_(origin), border_distance_(extent_, run.memory()), id_(extent_, run.memory()) {}

    Plates plates(std::uint32_t merge_depth) {
        find_flats();
        measure_plateaus();
        find_minima();
        point_downhill();
        follow_pointers();
        merge(merge_depth);
        return finish();
    }

private:
    // Two basins that may become one, across the pair of neighbours (high, low) at which they meet.
    struct Saddle {
        std::uint32_t value; // of the higher cell
        std::uint64_t high_hash, low_hash;
        std::uint32_t high, low;

        auto order() const { return std::tie(value, high_hash, low_hash); }
    };

    std::uint64_t hash(std::int64_t cell) const {
        const auto x = static_cast<std::uint32_t>(cell % extent_.width);
        const auto y = static_cast<std::uint32_t>(cell / extent_.width);
        return tie_hash(seed_, static_cast<std::int32_t>(x + static_cast<std::uint32_t>(origin_.x)),
                        static_cast<std::int32_t>(y + static_cast<std::uint32_t>(origin_.y)));
    }

    template <class F>
    void neighbours(std::int64_t cell, F &&f) const {
        for_neighbours(extent_, cell, edges_, f);
    }

    // f(cell) for every cell, in parallel.
    template <class F>
    void for_cells(F &&f) {
        run_.for_ranges(field_.size(), kFieldGrain, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t cell = begin; cell < end; ++cell) {
                f(cell);
            }
        });
    }

    // All that f(cell, found) appends to a vector, for every cell, in any order.
    template <class T, class F>
    std::vector<T> collect(F &&f) {
        std::vector<T> all;
        std::mutex mutex;
        run_.for_ranges(field_.size(), kFieldGrain, [&](std::int64_t begin, std::int64_t end) {
            std::vector<T> found;
            for (std::int64_t cell = begin; cell < end; ++cell) {
                f(cell, found);
            }
            const std::lock_guard lock(mutex);
            all.insert(all.end(), found.begin(), found.end());
        });
        return all;
    }

    // border_distance_ is 0 where a neighbour is lower, else kUnreached.
    void find_flats() {
        for_cells([&](std::int64_t cell) {
            bool lower = false;
            neighbours(cell, [&](std::int64_t other, const Step &) {
                lower = lower || field_[other] < field_[cell];
            });
            border_distance_[cell] = lower ? 0 : kUnreached;
        });
    }

    // The chamfer distance of each flat cell to the lower border of its plateau, by Dial's form of
    // Dijkstra's algorithm. Distances do not depend on the order of equal entries.
    void measure_plateaus() {
        auto starts = collect<std::uint32_t>([&](std::int64_t cell, auto &found) {
            bool flat_beside = false;
            if (border_distance_[cell] == 0) {
                neighbours(cell, [&](std::int64_t other, const Step &) {
                    flat_beside = flat_beside || (border_distance_[other] == kUnreached &&
                                                  field_[other] == field_[cell]);
                });
            }
            if (flat_beside) {
                found.push_back(static_cast<std::uint32_t>(cell));
            }
        });
        std::array<std::vector<std::uint32_t>, 8> buckets; // distance modulo 8; a step is at most 7
        buckets[0] = std::move(starts);
        std::vector<std::uint32_t> now;
        int empty = 0;
        for (std::uint32_t distance = 0; empty < 8; ++distance) {
            now.clear();
            now.swap(buckets[distance % 8]);
            empty = now.empty() ? empty + 1 : 0;
            for (const std::uint32_t cell : now) {
                if (border_distance_[cell] != distance) {
                    continue; // reached on a shorter way
                }
                neighbours(cell, [&](std::int64_t other, const Step &step) {
                    const std::uint32_t reached = distance + step.length;
                    if (field_[other] == field_[cell] && reached < border_distance_[other]) {
                        border_distance_[other] = reached;
                        buckets[reached % 8].push_back(static_cast<std::uint32_t>(other));
                    }
                });
            }
        }
    }

    // A plateau without a lower border is one minimum, known by its cell of the smallest hash, to
    // which all its cells point. Two such plateaus are never adjacent.
    void find_minima() {
        Mask flat(extent_, run_.memory());
        for_cells(
            [&](std::int64_t cell) { flat[cell] = border_distance_[cell] == kUnreached ? 1 : 0; });
        minimum_ = regions(run_, flat, Connectivity::eight, edges_);
        const std::size_t count = minimum_.regions.size();
        cell_of_.assign(count, kUnreached);
        hash_of_.assign(count, std::numeric_limits<std::uint64_t>::max());
        for (std::int64_t cell = 0; cell < field_.size(); ++cell) {
            if (minimum_.label[cell] != 0) {
                const std::size_t basin = minimum_.label[cell] - 1;
                const std::uint64_t h = hash(cell);
                if (std::pair(h, static_cast<std::uint32_t>(cell)) <
                    std::pair(hash_of_[basin], cell_of_[basin])) {
                    hash_of_[basin] = h;
                    cell_of_[basin] = static_cast<std::uint32_t>(cell);
                }
            }
        }
    }

    void point_downhill() {
        for_cells([&](std::int64_t cell) {
            if (minimum_.label[cell] != 0) {
                id_[cell] = cell_of_[minimum_.label[cell] - 1];
            } else if (border_distance_[cell] == 0) {
                id_[cell] = steepest(cell);
            } else {
                id_[cell] = towards_border(cell);
            }
        });
    }

    // The neighbour of the greatest drop for its distance, then of the smallest hash.
    std::uint32_t steepest(std::int64_t cell) const {
        std::uint64_t best_slope = 0;
        std::int64_t best = cell;
        neighbours(cell, [&](std::int64_t other, const Step &step) {
            if (field_[other] >= field_[cell]) {
                return;
            }
            // (12 - length) / 35 is 1 / length for 5 and 7.
            const std::uint64_t slope =
                std::uint64_t{field_[cell] - field_[other]} * (12 - step.length);
            if (slope > best_slope || (slope == best_slope && precedes(other, best))) {
                best_slope = slope;
                best = other;
            }
        });
        return static_cast<std::uint32_t>(best);
    }

    // A neighbour on a shortest way to the lower border, the one of the smallest hash.
    std::uint32_t towards_border(std::int64_t cell) const {
        std::int64_t best = cell;
        neighbours(cell, [&](std::int64_t other, const Step &step) {
            if (field_[other] == field_[cell] &&
                border_distance_[other] + step.length == border_distance_[cell] &&
                (best == cell || precedes(other, best))) {
                best = other;
            }
        });
        return static_cast<std::uint32_t>(best);
    }

    bool precedes(std::int64_t a, std::int64_t b) const {
        return std::pair(hash(a), a) < std::pair(hash(b), b);
    }

    // Replaces each pointer by the minimum at its end. Threads may shorten the same way at once;
    // every value they can read leads to the same minimum.
    void follow_pointers() {
        for_cells([&](std::int64_t start) {
            const auto next = [&](std::uint32_t cell) {
                return std::atomic_ref(id_[cell]).load(std::memory_order_relaxed);
            };
            auto end = static_cast<std::uint32_t>(start);
            while (next(end) != end) {
                end = next(end);
            }
            for (auto cell = static_cast<std::uint32_t>(start); cell != end;) {
                const std::uint32_t after = next(cell);
                std::atomic_ref(id_[cell]).store(end, std::memory_order_relaxed);
                cell = after;
            }
        });
    }

    std::size_t basin(std::int64_t cell) const { return minimum_.label[id_[cell]] - 1; }
    std::uint32_t depth(std::size_t basin) const { return field_[cell_of_[basin]]; }

    // The pairs of neighbours whose basins merge unless another merge comes first. A pair that is
    // too high now stays so, because merging only lowers the minima.
    std::vector<Saddle> saddles(std::uint32_t merge_depth) {
        auto result = collect<Saddle>([&](std::int64_t cell, auto &found) {
            neighbours(cell, [&](std::int64_t other, const Step &step) {
                const bool twice = step.dy < 0 || (step.dy == 0 && step.dx < 0);
                if (twice || id_[other] == id_[cell]) {
                    return; // seen from the other cell of the pair, or inside a basin
                }
                const std::uint32_t value = std::max(field_[cell], field_[other]);
                if (value - std::max(depth(basin(cell)), depth(basin(other))) >= merge_depth) {
                    return;
                }
                Saddle saddle{value, hash(cell), hash(other), static_cast<std::uint32_t>(cell),
                              static_cast<std::uint32_t>(other)};
                if (std::pair(field_[cell], saddle.high_hash) <
                    std::pair(field_[other], saddle.low_hash)) {
                    std::swap(saddle.high_hash, saddle.low_hash);
                    std::swap(saddle.high, saddle.low);
                }
                found.push_back(saddle);
            });
        });
        std::sort(result.begin(), result.end(),
                  [](const Saddle &a, const Saddle &b) { return a.order() < b.order(); });
        return result;
    }

    void merge(std::uint32_t merge_depth) {
        into_.resize(cell_of_.size());
        for (std::size_t i = 0; i < into_.size(); ++i) {
            into_[i] = i;
        }
        for (const Saddle &saddle : saddles(merge_depth)) {
            std::size_t shallow = root(basin(saddle.high));
            std::size_t deep = root(basin(saddle.low));
            const auto order = [&](std::size_t b) { return std::pair(depth(b), hash_of_[b]); };
            if (order(shallow) < order(deep)) {
                std::swap(shallow, deep);
            }
            if (shallow != deep && saddle.value - depth(shallow) < merge_depth) {
                into_[shallow] = deep;
            }
        }
    }

    std::size_t root(std::size_t basin) {
        while (into_[basin] != basin) {
            into_[basin] = into_[into_[basin]];
            basin = into_[basin];
        }
        return basin;
    }

    Plates finish() {
        Plates result;
        for (std::size_t i = 0; i < into_.size(); ++i) {
            into_[i] = root(i);
            result.count += into_[i] == i ? 1 : 0;
        }
        for_cells([&](std::int64_t cell) {
            id_[cell] = cell_of_[into_[basin(cell)]]; // reads no other cell's id
        });
        result.line = Mask(extent_, run_.memory());
        for_cells([&](std::int64_t cell) {
            const std::int64_t x = cell % extent_.width;
            const std::int64_t y = cell / extent_.width;
            const std::int64_t right = inside(x + 1, extent_.width, edges_);
            const std::int64_t below = inside(y + 1, extent_.height, edges_);
            const bool differs = id_.at(right, y) != id_[cell] || id_.at(x, below) != id_[cell];
            result.line[cell] = differs ? 1 : 0;
        });
        result.id = std::move(id_);
        return result;
    }

    core::Run &run_;
    const Field &field_;
    Extent2 extent_;
    Boundary edges_;
    std::uint64_t seed_;
    Cell2 origin_;
    Field border_distance_;
    Field id_; // first where each cell points to, then its minimum
    Regions minimum_;
    std::vector<std::uint32_t> cell_of_; // of each basin: the cell of its minimum
    std::vector<std::uint64_t> hash_of_; // of each basin: the hash of that cell
    std::vector<std::size_t> into_;      // of each basin: the one it was merged into
};

} // namespace

Plates watershed(core::Run &run, const Field2D<std::uint32_t> &field, std::uint32_t merge_depth,
                 Boundary edges, std::uint64_t seed, Cell2 origin) {
    require_cells(field.extent(), "watershed");
    if (field.size() > kMaxCells) {
        throw Error(ErrorCode::unsupported, "watershed: the field has " +
                                                std::to_string(field.size()) +
                                                " cells; at most 2^30 are allowed");
    }
    return Watershed(run, field, edges, seed, origin).plates(merge_depth);
}

} // namespace karst::shape

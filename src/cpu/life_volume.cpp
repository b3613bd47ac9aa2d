// Life in volumes on CPU threads: 64 cells a word, in pieces of some rows by some slices that stay
// in the cache.
#include "sim/life.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace karst::cpu {

namespace {

using Plane = std::vector<std::uint64_t>;

// The rows [top, bottom) of the slices [low, high).
struct Piece {
    std::int64_t top, bottom, low, high;
};

// The sums of one piece (38 KiB with the default tuning), a plane of words for each of their bits,
// so that every loop over words is straight and becomes vectors whatever the width of the volume.
class Sums {
public:
    Sums(std::int64_t words, std::int64_t rows) : words_(words) {
        const auto size = static_cast<std::size_t>(words * rows);
        for (Plane &plane : rows_) {
            plane.resize(size + 2 * static_cast<std::size_t>(words));
        }
        for (auto &slice : slices_) {
            for (Plane &plane : slice) {
                plane.resize(size);
            }
        }
        for (Plane &plane : block_) {
            plane.resize(size);
        }
    }

    // Sums the slice z, which may be -1 or the depth.
    void add_slice(const rules::LifeVolumeView &view, const Piece &piece, std::int64_t z) {
        for (std::int64_t y = piece.top - 1; y <= piece.bottom; ++y) {
            sum_row(view, z, y, (y - piece.top + 1) * words_);
        }
        const std::uint64_t *ones = rows_[0].data();
        const std::uint64_t *twos = rows_[1].data();
        auto &slice = slices_[static_cast<std::size_t>((z + 1) % 3)];
        std::uint64_t *const out[] = {slice[0].data(), slice[1].data(), slice[2].data(),
                                      slice[3].data()};
        const std::int64_t size = (piece.bottom - piece.top) * words_;
        const std::int64_t next = words_;
        for (std::int64_t i = 0; i < size; ++i) {
            const rules::SliceSum sum =
                rules::slice_sum({ones[i], twos[i]}, {ones[i + next], twos[i + next]},
                                 {ones[i + 2 * next], twos[i + 2 * next]});
            for (int b = 0; b < 4; ++b) {
                out[b][i] = sum.bit[b];
            }
        }
    }

    // The next generation of `size` words from their three slices.
    void next_words(const std::uint64_t *cells, const rules::LifeSteps &steps, std::int64_t size,
                    std::uint64_t *next) {
        const auto slice = [&](std::size_t k, std::int64_t i) {
            const auto at = static_cast<std::size_t>(i);
            const auto &s = slices_[k];
            return rules::SliceSum{{s[0][at], s[1][at], s[2][at], s[3][at]}};
        };
        std::uint64_t *const out[] = {block_[0].data(), block_[1].data(), block_[2].data(),
                                      block_[3].data(), block_[4].data()};
        for (std::int64_t i = 0; i < size; ++i) {
            const rules::BlockSum sum = rules::block_sum(slice(0, i), slice(1, i), slice(2, i));
            for (int b = 0; b < 5; ++b) {
                out[b][i] = sum.bit[b];
            }
        }
        std::fill_n(next, size, std::uint64_t{0});
        for (int k = 0; k < steps.count; ++k) { // as rules::next_word, the loops exchanged
            const rules::LifeThreshold step = steps.threshold[k];
            for (std::int64_t i = 0; i < size; ++i) {
                const rules::BlockSum sum{{out[0][i], out[1][i], out[2][i], out[3][i], out[4][i]}};
                next[i] ^= rules::change(sum, cells[i], step);
            }
        }
    }

private:
    void sum_row(const rules::LifeVolumeView &view, std::int64_t z, std::int64_t y,
                 std::int64_t at) {
        std::uint64_t *const ones = rows_[0].data() + at;
        std::uint64_t *const twos = rows_[1].data() + at;
        const auto put = [&](std::int64_t i, const rules::RowSum &sum) {
            ones[i] = sum.ones;
            twos[i] = sum.twos;
        };
        put(0, rules::row_sum_at(view, z, y, 0));
        put(words_ - 1, rules::row_sum_at(view, z, y, words_ - 1));
        const bool inside = y >= 0 && y < view.slice.height && z >= 0 && z < view.depth;
        if (!inside) {
            for (std::int64_t i = 1; i + 1 < words_; ++i) {
                put(i, rules::row_sum_at(view, z, y, i));
            }
            return;
        }
        const std::uint64_t *const row = rules::slice_at(view, z).cells + y * words_;
        for (std::int64_t i = 1; i + 1 < words_; ++i) {
            put(i, rules::row_sum({(row[i] << 1) | (row[i - 1] >> 63), row[i],
                                   (row[i] >> 1) | (row[i + 1] << 63)}));
        }
    }

    std::int64_t words_;
    std::array<Plane, 2> rows_;                  // with a row more at either end
    std::array<std::array<Plane, 4>, 3> slices_; // slice z in z + 1 modulo 3
    std::array<Plane, 5> block_;
};

class ThreadedVolume final : public sim::LifeVolumeEngine {
public:
    ThreadedVolume(core::Run &run, LifeVolume volume, LifeRule3 rule, LifeBoundary boundary,
                   const LifeVolumeTuning &tuning)
        : run_(run), volume_(std::move(volume)), next_(volume_.extent(), run.memory()),
          steps_(rules::make_selector(rule)), boundary_(boundary), slices_(tuning.slices) {
        const Extent3 extent = volume_.extent();
        const std::int64_t words = volume_.words().width();
        rows_ = std::clamp<std::int64_t>(tuning.words / words, 1, (extent.height + 7) / 8);
    }

    void advance(std::uint32_t generations) override {
        const Extent3 extent = volume_.extent();
        const std::int64_t words = volume_.words().width();
        const std::int64_t bands = (extent.height + rows_ - 1) / rows_;
        const std::int64_t layers = (extent.depth + slices_ - 1) / slices_;
        // At least 8 Ki words a range: smaller volumes are not worth waking a thread.
        const std::int64_t grain = std::max<std::int64_t>(1, 8192 / (rows_ * words * slices_));
        for (std::uint32_t i = 0; i < generations; ++i) {
            const rules::LifeVolumeView view =
                rules::make_view(volume_.words().data(), extent, boundary_);
            timed("life", 2 * volume_.words().cells().size_bytes(), 1, [&] {
                run_.for_ranges(bands * layers, grain, [&](std::int64_t begin, std::int64_t end) {
                    Sums sums(words, rows_);
                    for (std::int64_t k = begin; k < end; ++k) {
                        const std::int64_t top = k % bands * rows_;
                        const std::int64_t low = k / bands * slices_;
                        next_piece(view,
                                   {top, std::min(top + rows_, extent.height), low,
                                    std::min(low + slices_, extent.depth)},
                                   sums);
                    }
                });
            });
            std::swap(volume_, next_);
        }
    }

    std::uint64_t memory() const override {
        const auto planes = static_cast<std::uint64_t>(2 * (rows_ + 2) + (3 * 4 + 5) * rows_);
        return 2 * volume_.words().cells().size_bytes() +
               8 * planes * static_cast<std::uint64_t>(volume_.words().width()) *
                   static_cast<std::uint64_t>(run_.executor().concurrency());
    }

private:
    LifeVolume &read() override { return volume_; }

    void next_piece(const rules::LifeVolumeView &view, const Piece &piece, Sums &sums) {
        sums.add_slice(view, piece, piece.low - 1);
        sums.add_slice(view, piece, piece.low);
        const std::int64_t words = view.slice.words;
        const std::int64_t size = (piece.bottom - piece.top) * words;
        const std::uint64_t valid = rules::valid_bits(view.slice, words - 1);
        for (std::int64_t z = piece.low; z < piece.high; ++z) {
            sums.add_slice(view, piece, z + 1);
            std::uint64_t *const next = next_.words().row(piece.top, z).data();
            sums.next_words(volume_.words().row(piece.top, z).data(), steps_, size, next);
            for (std::int64_t i = words - 1; i < size; i += words) {
                next[i] &= valid;
            }
        }
    }

    core::Run &run_;
    LifeVolume volume_;
    LifeVolume next_;
    rules::LifeSteps steps_;
    LifeBoundary boundary_;
    std::int64_t rows_ = 1; // of a piece
    std::int64_t slices_;
};

} // namespace

std::unique_ptr<sim::LifeVolumeEngine> make_life(core::Run &run, LifeVolume volume, LifeRule3 rule,
                                                 LifeBoundary boundary,
                                                 const LifeVolumeTuning &tuning) {
    return std::make_unique<ThreadedVolume>(run, std::move(volume), rule, boundary, tuning);
}

} // namespace karst::cpu

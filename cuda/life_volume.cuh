// A generation of Life in a volume in device memory. A thread keeps one word of 64 cells along x
// and walks up the slices; the sums of its row are shared with the rows beside it in the block, and
// the sums of two slices stay in its registers.
#pragma once

#include <cstdint>

#include "rules/life_volume.hpp"

namespace karst::cuda {

constexpr int kVolumeThreads = 256;
constexpr int kVolumeSlices = 32; // of a block; it sums two more

// The sums along x of one word of a row, slice after slice.
class RowReader {
public:
    // y may be -1 or height, in [0, words) of which i is one.
    __device__ RowReader(const rules::LifeVolumeView &volume, std::int64_t y, std::int64_t i)
        : outside_(rules::outside_word(volume.slice.boundary)) {
        const rules::LifeView &view = volume.slice;
        const bool torus = view.boundary == LifeBoundary::torus;
        if (y < 0 || y >= view.height) {
            if (!torus) {
                return;
            }
            y = y < 0 ? view.height - 1 : 0;
        }
        const std::int64_t last = view.words - 1;
        const int last_bit = static_cast<int>((view.width - 1) & 63);
        const std::uint64_t *const row = view.cells + y * view.words;
        centre_ = row + i;
        before_ = i > 0 ? row + i - 1 : torus ? row + last : nullptr;
        before_bit_ = i > 0 ? 63 : last_bit;
        after_ = i < last ? row + i + 1 : torus ? row : nullptr;
        after_bit_ = i < last ? 63 : last_bit;
    }

    // Of the slice `offset` words above the first; `word` gets the cells.
    __device__ rules::RowSum take(std::int64_t offset, std::uint64_t &word) const {
        if (centre_ == nullptr) {
            word = outside_;
            return {outside_, outside_}; // 3 or 0
        }
        word = centre_[offset];
        const std::uint64_t before =
            before_ == nullptr ? outside_ & 1 : (before_[offset] >> before_bit_) & 1;
        const std::uint64_t after = (after_ == nullptr ? outside_ : after_[offset]) & 1;
        return rules::row_sum({(word << 1) | before, word, (word >> 1) | (after << after_bit_)});
    }

private:
    std::uint64_t outside_;
    const std::uint64_t *centre_ = nullptr; // null: outside of a bounded volume
    const std::uint64_t *before_ = nullptr;
    const std::uint64_t *after_ = nullptr;
    int before_bit_ = 0;
    int after_bit_ = 0;
};

// A block is `columns` words wide and kVolumeThreads / columns rows high, of which the first and
// the last only give their sums to the others.
__global__ void __launch_bounds__(kVolumeThreads)
    next_volume(rules::LifeVolumeView view, rules::LifeSteps steps, int columns,
                std::uint64_t *__restrict__ next) {
    __shared__ rules::RowSum shared[2][kVolumeThreads];
    const int thread = static_cast<int>(threadIdx.x);
    const int rows = kVolumeThreads / columns;
    const int row = thread / columns;
    const std::int64_t i = std::int64_t{blockIdx.x} * columns + thread % columns;
    const std::int64_t y = std::int64_t{blockIdx.y} * (rows - 2) + row - 1;
    const bool reads = i < view.slice.words && y <= view.slice.height;
    const bool writes = reads && row > 0 && row < rows - 1 && y < view.slice.height;
    const std::int64_t slice = view.slice.words * view.slice.height;
    const std::int64_t begin = std::int64_t{blockIdx.z} * kVolumeSlices;
    const std::int64_t end =
        begin + kVolumeSlices < view.depth ? begin + kVolumeSlices : view.depth;
    const bool torus = view.slice.boundary == LifeBoundary::torus;
    const std::uint64_t outside = rules::outside_word(view.slice.boundary);
    const RowReader reader(view, reads ? y : 0, reads ? i : 0);
    const std::uint64_t valid = rules::valid_bits(view.slice, reads ? i : 0);
    std::uint64_t *to = next + begin * slice + y * view.slice.words + i;

    rules::SliceSum below{};
    rules::SliceSum here{};
    std::uint64_t centre = 0;
    for (std::int64_t z = begin - 1; z <= end; ++z) {
        rules::RowSum sum{outside, outside};
        std::uint64_t word = outside;
        const std::int64_t its = z < 0 ? view.depth - 1 : z == view.depth ? 0 : z;
        if (reads && (torus || its == z)) {
            sum = reader.take(its * slice, word);
        }
        rules::RowSum *const sums = shared[z & 1];
        sums[thread] = sum;
        __syncthreads();
        rules::SliceSum above{};
        if (writes) {
            above = rules::slice_sum(sums[thread - columns], sum, sums[thread + columns]);
            if (z > begin) {
                *to = rules::next_word(rules::block_sum(below, here, above), centre, steps) & valid;
                to += slice;
            }
        }
        below = here;
        here = above;
        centre = word;
    }
}

} // namespace karst::cuda

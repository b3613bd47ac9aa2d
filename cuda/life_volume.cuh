// A generation of Life in a volume in device memory. A thread keeps one word of 64 cells along x
// and walks up the slices; the sums of its row are shared with the rows beside it in the block, and
// the sums of two slices stay in its registers.
#pragma once

#include <cstdint>

#include "rules/life_volume.hpp"

namespace karst::cuda {

constexpr int kVolumeThreads = 512;
constexpr int kVolumeBlocks = 2; // that a multiprocessor is to hold

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
        const int last = static_cast<int>(view.words - 1);
        const int at = static_cast<int>(i);
        const int last_bit = static_cast<int>((view.width - 1) & 63);
        centre_ = view.cells + y * view.words + i;
        has_before_ = torus || at > 0;
        before_ = at > 0 ? -1 : last;
        before_bit_ = at > 0 ? 63 : last_bit;
        has_after_ = torus || at < last;
        after_ = at < last ? 1 : -last;
        after_bit_ = at < last ? 63 : last_bit;
    }

    // A word and what is beside it. Outside of a bounded volume every cell is the same.
    struct Cells {
        std::uint64_t centre;
        std::uint64_t before;
        std::uint64_t after;
    };

    __device__ Cells outside() const { return {outside_, outside_, outside_}; }

    // Of the slice `offset` words above the first.
    __device__ Cells take(std::int64_t offset) const {
        if (centre_ == nullptr) {
            return outside();
        }
        const std::uint64_t *const word = centre_ + offset;
        return {*word, has_before_ ? word[before_] : outside_,
                has_after_ ? word[after_] : outside_};
    }

    __device__ rules::RowSum sum(const Cells &cells) const {
        const std::uint64_t left = (cells.centre << 1) | ((cells.before >> before_bit_) & 1);
        const std::uint64_t right = (cells.centre >> 1) | ((cells.after & 1) << after_bit_);
        return rules::row_sum({left, cells.centre, right});
    }

private:
    std::uint64_t outside_;
    const std::uint64_t *centre_ = nullptr; // null: outside of a bounded volume
    int before_ = 0;                        // the words beside it, from it
    int after_ = 0;
    int before_bit_ = 63;
    int after_bit_ = 63;
    bool has_before_ = false;
    bool has_after_ = false;
};

// A block is `columns` words wide and kVolumeThreads / columns rows high, of which the first and
// the last only give their sums to the others; it walks up `slices` slices and sums two more.
__global__ void __launch_bounds__(kVolumeThreads, kVolumeBlocks)
    next_volume(rules::LifeVolumeView view, rules::LifeSteps steps, int columns,
                std::int64_t slices, std::uint64_t *__restrict__ next) {
    __shared__ rules::RowSum shared[2][kVolumeThreads];
    const int thread = static_cast<int>(threadIdx.x);
    const int rows = kVolumeThreads / columns;
    const int row = thread / columns;
    const std::int64_t i = std::int64_t{blockIdx.x} * columns + thread % columns;
    const std::int64_t y = std::int64_t{blockIdx.y} * (rows - 2) + row - 1;
    const bool reads = i < view.slice.words && y <= view.slice.height;
    const bool writes = reads && row > 0 && row < rows - 1 && y < view.slice.height;
    const std::int64_t slice = view.slice.words * view.slice.height;
    const std::int64_t begin = std::int64_t{blockIdx.z} * slices;
    const std::int64_t end = begin + slices < view.depth ? begin + slices : view.depth;
    const bool torus = view.slice.boundary == LifeBoundary::torus;
    const RowReader reader(view, reads ? y : 0, reads ? i : 0);
    const std::uint64_t valid = rules::valid_bits(view.slice, reads ? i : 0);
    std::uint64_t *to = next + begin * slice + y * view.slice.words + i;

    const auto take = [&](std::int64_t z) {
        const std::int64_t its = z < 0 ? view.depth - 1 : z >= view.depth ? z - view.depth : z;
        return reads && (torus || its == z) ? reader.take(its * slice) : reader.outside();
    };
    rules::SliceSum below{};
    rules::SliceSum here{};
    std::uint64_t centre = 0;
    RowReader::Cells coming = take(begin - 1);
    for (std::int64_t z = begin - 1; z <= end; ++z) {
        const RowReader::Cells cells = coming;
        if (z < end) {
            coming = take(z + 1); // on its way while this slice is summed
        }
        const rules::RowSum sum = reader.sum(cells);
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
        centre = cells.centre;
    }
}

} // namespace karst::cuda

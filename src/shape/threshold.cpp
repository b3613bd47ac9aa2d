#include <mutex>
#include <vector>

#include "shape/grid.hpp"
#include "shape/shape.hpp"

namespace karst::shape {

namespace {

constexpr std::size_t kBuckets = 65536;
constexpr std::int64_t kGrain = 1 << 18; // cells for which a histogram of its own pays

// How many cells fall into each bucket; bucket_of(value) >= kBuckets leaves a cell out.
template <class F>
std::vector<std::uint64_t> histogram(core::Run &run, const Field2D<std::uint32_t> &field,
                                     F bucket_of) {
    std::vector<std::uint64_t> total(kBuckets);
    std::mutex mutex;
    run.for_ranges(field.size(), kGrain, [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::uint64_t> counts(kBuckets);
        for (std::int64_t i = begin; i < end; ++i) {
            const std::size_t bucket = bucket_of(field[i]);
            if (bucket < kBuckets) {
                ++counts[bucket];
            }
        }
        const std::lock_guard lock(mutex);
        for (std::size_t b = 0; b < kBuckets; ++b) {
            total[b] += counts[b];
        }
    });
    return total;
}

// The bucket that holds the cell of this rank, which becomes its rank within the bucket.
std::uint32_t bucket_at(const std::vector<std::uint64_t> &counts, std::uint64_t &rank) {
    std::uint32_t bucket = 0;
    while (rank >= counts[bucket]) {
        rank -= counts[bucket];
        ++bucket;
    }
    return bucket;
}

} // namespace

std::uint32_t quantile(core::Run &run, const Field2D<std::uint32_t> &field,
                       std::uint64_t fraction) {
    require_cells(field.extent(), "quantile");
    if (fraction > std::uint64_t{1} << 32) {
        throw Error(ErrorCode::invalid_argument, "quantile: fraction is " +
                                                     std::to_string(fraction) +
                                                     " / 2^32; allowed are 0 to 2^32 / 2^32");
    }
    // fraction * last / 2^32 in two halves, so that it cannot overflow.
    const auto last = static_cast<std::uint64_t>(field.size() - 1);
    std::uint64_t rank = fraction * (last >> 32) + ((fraction * (last & 0xFFFFFFFFu)) >> 32);

    const std::uint32_t high =
        bucket_at(histogram(run, field, [](std::uint32_t value) { return value >> 16; }), rank);
    const std::uint32_t low = bucket_at(histogram(run, field,
                                                  [high](std::uint32_t value) {
                                                      return (value >> 16) == high
                                                                 ? std::size_t{value & 0xFFFFu}
                                                                 : kBuckets;
                                                  }),
                                        rank);
    return (high << 16) | low;
}

Mask above(core::Run &run, const Field2D<std::uint32_t> &field, std::uint32_t level) {
    Mask mask(field.extent(), run.memory());
    run.for_ranges(field.size(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            mask[i] = field[i] > level ? 1 : 0;
        }
    });
    return mask;
}

} // namespace karst::shape

#include <mutex>
#include <span>
#include <vector>

#include "core/memory.hpp"
#include "shape/grid.hpp"
#include "shape/shape.hpp"
#include "shape/volume.hpp"

namespace karst::shape {

namespace {

constexpr int kDigitBits = 11; // 3 digits hold 32 bits; the counts of one fit the first cache
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
constexpr std::int64_t kCellsATask = 1 << 16; // cells for which counts of their own pay

// How many cells have each digit at bit `shift`, of those whose bits above it equal `prefix`.
std::vector<std::uint64_t> count_digits(core::Run &run, std::span<const std::uint32_t> field,
                                        int shift, std::uint64_t prefix) {
    std::vector<std::uint64_t> total(kDigits);
    std::mutex mutex;
    const auto cells = static_cast<std::int64_t>(field.size());
    run.for_ranges(cells, kCellsATask, [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::uint64_t> counts(kDigits);
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            const std::uint64_t value = field[i];
            if (value >> (shift + kDigitBits) == prefix) {
                ++counts[(value >> shift) % kDigits];
            }
        }
        const std::lock_guard lock(mutex);
        for (std::size_t digit = 0; digit < kDigits; ++digit) {
            total[digit] += counts[digit];
        }
    });
    return total;
}

std::uint32_t value_at_rank(core::Run &run, std::span<const std::uint32_t> field,
                            std::uint64_t fraction) {
    if (fraction > std::uint64_t{1} << 32) {
        throw Error(ErrorCode::invalid_argument, "quantile: fraction is " +
                                                     std::to_string(fraction) +
                                                     " / 2^32; allowed are 0 to 2^32 / 2^32");
    }
    // fraction * last / 2^32 in two halves, so that it cannot overflow.
    const auto last = static_cast<std::uint64_t>(field.size() - 1);
    std::uint64_t rank = fraction * (last >> 32) + ((fraction * (last & 0xFFFFFFFFu)) >> 32);

    std::uint64_t value = 0; // the digits known so far
    for (int shift = 2 * kDigitBits; shift >= 0; shift -= kDigitBits) {
        const auto counts = count_digits(run, field, shift, value);
        std::size_t digit = 0;
        while (rank >= counts[digit]) {
            rank -= counts[digit];
            ++digit;
        }
        value = (value << kDigitBits) | digit;
    }
    return static_cast<std::uint32_t>(value);
}

} // namespace

std::uint32_t quantile(core::Run &run, const Field2D<std::uint32_t> &field,
                       std::uint64_t fraction) {
    require_cells(field.extent(), "quantile");
    return value_at_rank(run, field.cells(), fraction);
}

std::uint32_t quantile(core::Run &run, const Field3D<std::uint32_t> &field,
                       std::uint64_t fraction) {
    require_cells(field.extent(), "quantile");
    return value_at_rank(run, field.cells(), fraction);
}

Mask above(core::Run &run, const Field2D<std::uint32_t> &field, std::uint32_t level) {
    Mask mask = core::unset_field<std::uint8_t>(run, field.extent());
    run.for_ranges(field.size(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            mask[i] = field[i] > level ? 1 : 0;
        }
    });
    return mask;
}

} // namespace karst::shape

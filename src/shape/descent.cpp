#include "shape/drainage.hpp"

#include "core/fixed.hpp"
#include "core/instruction_sets.hpp"
#include "shape/erosion_kernel.hpp"
#include "shape/grid.hpp"

namespace karst::shape {

namespace {

// Where the point of a cell lies in it, from its centre in 1/32 of the cell: -12 to 12.
struct Point {
    std::int8_t x, y;
};

Point point(std::uint64_t seed, std::int64_t x, std::int64_t y) {
    const std::uint64_t hash =
        tie_hash(seed, static_cast<std::int32_t>(x), static_cast<std::int32_t>(y));
    const auto part = [hash](int bits) {
        return static_cast<std::int8_t>(static_cast<int>((hash >> bits & 0xffff) * 25 >> 16) - 12);
    };
    return {part(0), part(16)};
}

// 2^16 over the length between the points of two neighbours, rounded down, by its square in 1/1024
// cells squared: at least 8^2, at most 2 (32 + 24)^2. Less than 2^19, so exact in float.
std::vector<float> inverse_lengths() {
    std::vector<float> table(2 * 56 * 56 + 1);
    for (std::size_t squared = 1; squared < table.size(); ++squared) {
        table[squared] =
            static_cast<float>((std::uint64_t{65536} * 32 * 256) /
                               core::integer_sqrt(static_cast<std::uint64_t>(squared) << 16));
    }
    return table;
}

} // namespace

std::vector<const ErosionKernel *> erosion_kernels() {
    std::vector<const ErosionKernel *> kernels{&kErosionBaseline};
#if defined(__x86_64__)
    core::add_supported(kernels, kErosionAvx2, kErosionAvx512);
#endif
    return kernels;
}

Descent::Descent(core::Run &run, Extent2 extent, std::uint64_t seed)
    : extent_(extent), seed_(seed), kernel_(erosion_kernels().back()) {
    const std::vector<float> inverse = inverse_lengths();
    for (auto &link : links_) {
        link = Scratch2D<float>(extent);
    }
    const auto fill = [&](std::int64_t y, std::vector<Point> &row) {
        row.resize(static_cast<std::size_t>(extent.width));
        for (std::int64_t x = 0; x < extent.width; ++x) {
            row[static_cast<std::size_t>(x)] = point(seed, x, y);
        }
    };
    run.for_ranges(extent.height, 8, [&](std::int64_t begin, std::int64_t end) {
        std::vector<Point> here;
        std::vector<Point> below;
        fill(begin, here);
        for (std::int64_t y = begin; y < end; ++y) {
            fill(y + 1, below);
            const auto length = [&](Point from, Point to, std::size_t s) {
                const int dx = kFlowSteps[s].x * 32 + to.x - from.x;
                const int dy = kFlowSteps[s].y * 32 + to.y - from.y;
                return inverse[static_cast<std::size_t>(dx * dx + dy * dy)];
            };
            for (std::int64_t x = 0; x < extent.width; ++x) { // links out of the map are not read
                const auto i = static_cast<std::size_t>(x);
                const auto right = static_cast<std::size_t>(std::min(x + 1, extent.width - 1));
                const auto left = static_cast<std::size_t>(std::max<std::int64_t>(x - 1, 0));
                links_[0].at(x, y) = length(here[i], here[right], 0);
                links_[1].at(x, y) = length(here[i], below[right], 1);
                links_[2].at(x, y) = length(here[i], below[i], 2);
                links_[3].at(x, y) = length(here[i], below[left], 3);
            }
            here.swap(below);
        }
    });
}

std::uint64_t Descent::tie(std::int64_t cell) const {
    return tie_hash(seed_, static_cast<std::int32_t>(cell % extent_.width),
                    static_cast<std::int32_t>(cell / extent_.width));
}

void Descent::find(core::Run &run, const Heights &heights, const Field2D<std::uint8_t> &outlets,
                   Field2D<std::uint8_t> &steps) const {
    const std::int64_t width = extent_.width;
    const auto height = [&](std::int64_t i) { return heights[i]; };
    const auto links = [&](std::int64_t y) {
        return LinkRows{links_[0].row(y), links_[1].row(y), links_[2].row(y), links_[3].row(y)};
    };
    run.for_rows(extent_.height, [&](std::int64_t y) {
        std::uint8_t *const step = steps.row(y).data();
        const std::uint8_t *const outlet = outlets.row(y).data();
        const auto exactly = [&](std::int64_t x) { step[x] = at(x, y, height); };
        if (y > 0 && y + 1 < extent_.height && width > 2) {
            const std::int32_t *const rows[] = {heights.row(y - 1).data(), heights.row(y).data(),
                                                heights.row(y + 1).data()};
            const LinkRows beside[] = {links(y - 1), links(y)};
            kernel_->descend(rows, beside, width, step);
            exactly(0);
            exactly(width - 1);
            for (std::int64_t x = 1; x < width - 1; ++x) {
                if (step[x] >= kTied) {
                    exactly(x);
                }
            }
        } else {
            for (std::int64_t x = 0; x < width; ++x) {
                exactly(x);
            }
        }
        for (std::int64_t x = 0; x < width; ++x) {
            step[x] = outlet[x] != 0 ? kNoStep : step[x];
        }
    });
}

} // namespace karst::shape

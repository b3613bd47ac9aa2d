#include "shape/drainage.hpp"

#include "core/instruction_sets.hpp"
#include "shape/erosion_kernel.hpp"
#include "shape/grid.hpp"

namespace karst::shape {

std::vector<const ErosionKernel *> erosion_kernels() {
    std::vector<const ErosionKernel *> kernels{&kErosionBaseline};
#if defined(__x86_64__)
    core::add_supported(kernels, kErosionAvx2, kErosionAvx512);
#endif
    return kernels;
}

Descent::Descent(core::Run &run, Extent2 extent, std::uint64_t seed)
    : extent_(extent), seed_(seed), kernel_(erosion_kernels().back()) {
    for (auto &link : links_) {
        link = Scratch2D<float>(extent);
    }
    using Hashes = std::vector<std::uint64_t>; // of a row
    const auto fill = [&](std::int64_t y, Hashes &row) {
        row.resize(static_cast<std::size_t>(extent.width));
        for (std::int64_t x = 0; x < extent.width; ++x) {
            row[static_cast<std::size_t>(x)] =
                tie_hash(seed, static_cast<std::int32_t>(x), static_cast<std::int32_t>(y));
        }
    };
    run.for_ranges(extent.height, 8, [&](std::int64_t begin, std::int64_t end) {
        Hashes here;
        Hashes below;
        fill(begin, here);
        for (std::int64_t y = begin; y < end; ++y) {
            fill(y + 1, below);
            const auto link = [](std::uint64_t from, std::uint64_t to, unsigned s) {
                return static_cast<float>(rules::inverse_length(from, to, s));
            };
            for (std::int64_t x = 0; x < extent.width; ++x) { // links out of the map are not read
                const auto i = static_cast<std::size_t>(x);
                const auto right = static_cast<std::size_t>(std::min(x + 1, extent.width - 1));
                const auto left = static_cast<std::size_t>(std::max<std::int64_t>(x - 1, 0));
                links_[0].at(x, y) = link(here[i], here[right], 0);
                links_[1].at(x, y) = link(here[i], below[right], 1);
                links_[2].at(x, y) = link(here[i], below[i], 2);
                links_[3].at(x, y) = link(here[i], below[left], 3);
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

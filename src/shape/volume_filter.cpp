// Cubic windows: along x, then along y in the slices, then along z, for which the whole volume is
// one image with the slices as its rows.

#include "core/memory.hpp"
#include "shape/volume.hpp"
#include "shape/window_passes.hpp"

namespace karst::shape {

namespace {

constexpr std::int64_t kMaxMajorityRadius = 127; // 255 x 255 ones fit 16 bits
constexpr std::int64_t kMaxBlurRadius = 32767;

// Three passes of a window; a function for the sums of the first two and one for those of the last.
template <class T, class Finish, class FinishLast>
void window_passes(core::Run &run, int radius, Finish finish, FinishLast finish_last,
                   Field3D<T> &volume, Field3D<std::uint16_t> &first,
                   Field3D<std::uint16_t> &second) {
    const Extent3 extent = volume.extent();
    window_rows<T, std::uint16_t>(run, volume.cells(), extent.width, radius, Boundary::bounded,
                                  finish, first.cells());
    window_columns<std::uint16_t, std::uint16_t>(run, first.cells(), extent, radius,
                                                 Boundary::bounded, finish, second.cells());
    window_columns<std::uint16_t, T>(run, second.cells(),
                                     {extent.width * extent.height, extent.depth, 1}, radius,
                                     Boundary::bounded, finish_last, volume.cells());
}

} // namespace

VolumeMask majority(core::Run &run, const VolumeMask &mask, int radius, int passes) {
    require_cells(mask.extent(), "majority");
    require_range(radius, 0, kMaxMajorityRadius, "majority", "radius");
    require_range(passes, 0, 1000, "majority", "passes");
    const std::uint64_t side = 2 * static_cast<std::uint64_t>(radius) + 1;
    const std::uint64_t half = side * side * side / 2; // side^3 is odd: no tie
    VolumeMask result(mask.extent(), core::large_pages(run));
    run.for_ranges(mask.size(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
        std::transform(mask.data() + begin, mask.data() + end, result.data() + begin,
                       [](std::uint8_t cell) { return static_cast<std::uint8_t>(cell != 0); });
    });
    if (passes == 0) {
        return result;
    }
    Field3D<std::uint16_t> lines(mask.extent(), core::large_pages(run));
    Field3D<std::uint16_t> squares(mask.extent(), core::large_pages(run));
    for (int pass = 0; pass < passes; ++pass) {
        window_passes(
            run, radius, [](std::uint64_t sum) { return static_cast<std::uint16_t>(sum); },
            [half](std::uint64_t sum) { return static_cast<std::uint8_t>(sum > half); }, result,
            lines, squares);
    }
    return result;
}

Field3D<std::uint16_t> box_blur(core::Run &run, const Field3D<std::uint16_t> &field, int radius,
                                int passes) {
    require_cells(field.extent(), "box_blur");
    require_range(radius, 0, kMaxBlurRadius, "box_blur", "radius");
    require_range(passes, 0, 1000, "box_blur", "passes");
    Field3D<std::uint16_t> result(field.extent(), core::large_pages(run));
    std::copy_n(field.data(), field.size(), result.data());
    if (radius == 0 || passes == 0) {
        return result;
    }
    const std::uint64_t side = 2 * static_cast<std::uint64_t>(radius) + 1;
    const auto mean = [side](std::uint64_t sum) { return static_cast<std::uint16_t>(sum / side); };
    Field3D<std::uint16_t> along_x(field.extent(), core::large_pages(run));
    Field3D<std::uint16_t> along_y(field.extent(), core::large_pages(run));
    for (int pass = 0; pass < passes; ++pass) {
        window_passes(run, radius, mean, mean, result, along_x, along_y);
    }
    return result;
}

} // namespace karst::shape

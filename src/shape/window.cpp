// Square windows: along x, then along y.
#include "core/memory.hpp"
#include "shape/window_passes.hpp"

#include "shape/shape.hpp"

namespace karst::shape {

namespace {

constexpr std::int64_t kMaxRadius = 32767; // a window row of ones fits 16 bits

} // namespace

Mask majority(core::Run &run, const Mask &mask, int radius, int passes, Boundary edges) {
    require_cells(mask.extent(), "majority");
    require_range(radius, 0, kMaxRadius, "majority", "radius");
    require_range(passes, 0, 1000, "majority", "passes");
    const std::uint64_t side = 2 * static_cast<std::uint64_t>(radius) + 1;
    const std::uint64_t half = side * side / 2; // side^2 is odd: no tie
    Mask result(mask.extent(), run.memory());
    std::transform(mask.cells().begin(), mask.cells().end(), result.data(),
                   [](std::uint8_t cell) { return static_cast<std::uint8_t>(cell != 0 ? 1 : 0); });
    auto sums = core::unset_field<std::uint16_t>(run, mask.extent());
    for (int pass = 0; pass < passes; ++pass) {
        window_rows<std::uint8_t, std::uint16_t>(
            run, result.cells(), mask.width(), radius, edges,
            [](std::uint64_t sum) { return static_cast<std::uint16_t>(sum); }, sums.cells());
        window_columns<std::uint16_t, std::uint8_t>(
            run, sums.cells(), {mask.width(), mask.height(), 1}, radius, edges,
            [half](std::uint64_t sum) { return static_cast<std::uint8_t>(sum > half ? 1 : 0); },
            result.cells());
    }
    return result;
}

Field2D<std::uint32_t> box_blur(core::Run &run, const Field2D<std::uint32_t> &field, int radius,
                                int passes, Boundary edges) {
    require_cells(field.extent(), "box_blur");
    require_range(radius, 0, kMaxRadius, "box_blur", "radius");
    require_range(passes, 0, 1000, "box_blur", "passes");
    const std::uint64_t side = 2 * static_cast<std::uint64_t>(radius) + 1;
    const auto mean = [side](std::uint64_t sum) { return static_cast<std::uint32_t>(sum / side); };
    auto result = core::unset_field<std::uint32_t>(run, field.extent());
    if (radius == 0 || passes == 0) {
        std::copy_n(field.data(), field.size(), result.data());
        return result;
    }
    auto means = core::unset_field<std::uint32_t>(run, field.extent());
    for (int pass = 0; pass < passes; ++pass) {
        window_rows<std::uint32_t, std::uint32_t>(run, pass == 0 ? field.cells() : result.cells(),
                                                  field.width(), radius, edges, mean,
                                                  means.cells());
        window_columns<std::uint32_t, std::uint32_t>(run, means.cells(),
                                                     {field.width(), field.height(), 1}, radius,
                                                     edges, mean, result.cells());
    }
    return result;
}

} // namespace karst::shape

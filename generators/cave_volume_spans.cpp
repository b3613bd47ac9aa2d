#include "generators/cave_volume_spans.hpp"

#include <numeric>

#include "generators/cave_volume.hpp"
#include "shape/surface.hpp"

namespace karst::cave_volume {

namespace {

using shape::kOpen;

// Height of the wall between the samples z and z + 1.
std::int32_t crossing(std::int64_t z, std::int64_t below, std::int64_t above) {
    const std::int64_t part = kUnit * (kOpen - below) / (above - below);
    return static_cast<std::int32_t>(z * kUnit + kUnit / 2 + part);
}

// f(x, z, before, here) where the open part of column (x, y) begins or ends between the samples
// z - 1 and z; slice by slice, as memory lies. Below the volume lies rock.
template <class F>
void for_changes(const Field3D<std::uint16_t> &density, std::int64_t y, F &&f) {
    const std::vector<std::uint16_t> rock(static_cast<std::size_t>(density.width()));
    const std::uint16_t *before = rock.data();
    for (std::int64_t z = 0; z < density.depth(); ++z) {
        const std::uint16_t *here = density.row(y, z).data();
        for (std::int64_t x = 0; x < density.width(); ++x) {
            if (((here[x] ^ before[x]) & kOpen) != 0) {
                f(x, z, before[x], here[x]);
            }
        }
        before = here;
    }
}
static_assert(kOpen == 0x8000); // the highest bit says whether a sample is open

} // namespace

Spans find_spans(core::Run &run, const Field3D<std::uint16_t> &density) {
    const std::int64_t width = density.width();
    const std::int64_t height = density.height();
    Spans spans{{width, height},
                std::vector<std::int64_t>(static_cast<std::size_t>(width * height) + 1),
                {}};
    run.for_rows(height, [&](std::int64_t y) {
        std::int64_t *counts = spans.first.data() + y * width + 1;
        for_changes(density, y, [&](std::int64_t x, std::int64_t, std::int64_t, std::int64_t here) {
            counts[x] += here >= kOpen ? 1 : 0;
        });
    });
    std::partial_sum(spans.first.begin(), spans.first.end(), spans.first.begin());
    const auto top = static_cast<std::int32_t>(density.depth() * kUnit);
    spans.spans.assign(static_cast<std::size_t>(spans.first.back()), {0, top});
    run.for_rows(height, [&](std::int64_t y) {
        std::vector<Span *> next(static_cast<std::size_t>(width)); // that begins or ends
        for (std::int64_t x = 0; x < width; ++x) {
            next[static_cast<std::size_t>(x)] = spans.spans.data() + spans.begin(y * width + x);
        }
        for_changes(density, y,
                    [&](std::int64_t x, std::int64_t z, std::int64_t before, std::int64_t here) {
                        Span *&span = next[static_cast<std::size_t>(x)];
                        if (here >= kOpen) {
                            span->bottom = z == 0 ? 0 : crossing(z - 1, before, here);
                        } else {
                            span++->top = crossing(z - 1, before, here);
                        }
                    });
    });
    return spans;
}

void level_floors(core::Run &run, const CaveVolumeParams &params, double cell,
                  Field3D<std::uint16_t> &density) {
    const Spans spans = find_spans(run, density);
    const auto to_units = [cell](double metres) {
        return static_cast<std::int32_t>(kUnit * metres / cell + 0.5);
    };
    // What stays open between two neighbours where it was: a walker, and no less than two cells.
    const std::int32_t headroom = std::max(to_units(params.agent_height), 2 * kUnit);
    const auto share = static_cast<std::int64_t>(65536 * params.floor + 0.5);
    const std::int32_t most = to_units(
        params.floor * std::max(params.passage_width, params.room_size * params.room_height));
    const std::int64_t columns = spans.extent.cells();
    std::vector<std::int32_t> limit(spans.spans.size());
    std::vector<std::int32_t> floor(spans.spans.size());
    const auto for_spans = [&](auto &&f) {
        run.for_ranges(columns, 1 << 10, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t column = begin; column < end; ++column) {
                for (std::int64_t i = spans.begin(column); i < spans.end(column); ++i) {
                    f(column, i);
                }
            }
        });
    };
    for_spans([&](std::int64_t column, std::int64_t i) {
        const Span &span = spans[i];
        std::int32_t top = span.top;
        for_overlaps(
            spans, column, i, [&](std::int64_t j, int) { top = std::min(top, spans[j].top); }, 0);
        const auto at = static_cast<std::size_t>(i);
        limit[at] = std::max(span.bottom, top - headroom);
        const auto raised = static_cast<std::int32_t>(
            std::min<std::int64_t>(((span.top - span.bottom) * share) >> 16, most));
        floor[at] = std::min(span.bottom + raised, limit[at]);
    });
    // Of the mean with the neighbours: ledges become ramps of about as many metres as their root.
    const int passes = static_cast<int>(std::clamp(10 / cell, 4.0, 64.0));
    const Floors floors(run, spans, 1);
    std::vector<std::int32_t> next(floor.size());
    for (int pass = 0; pass < passes; ++pass) {
        floors.for_spans(run, [&](std::int64_t i) {
            const auto at = static_cast<std::size_t>(i);
            std::int64_t sum = 2 * std::int64_t{floor[at]};
            std::int64_t count = 2;
            floors.for_neighbours(i, [&](std::int64_t j, int) {
                sum += floor[static_cast<std::size_t>(j)];
                ++count;
            });
            next[at] = static_cast<std::int32_t>(
                std::clamp<std::int64_t>(sum / count, spans[i].bottom, limit[at]));
        });
        std::swap(floor, next);
    }
    constexpr std::int64_t kSlope = 85; // density over a step of height: 1.5 cells to the most
    for_spans([&](std::int64_t column, std::int64_t i) {
        const std::int64_t x = column % spans.extent.width;
        const std::int64_t y = column / spans.extent.width;
        const std::int64_t level = floor[static_cast<std::size_t>(i)];
        if (level == spans[i].bottom) {
            return;
        }
        for (std::int64_t z = (spans[i].bottom + kUnit / 2) / kUnit; z < density.depth(); ++z) {
            const std::int64_t centre = z * kUnit + kUnit / 2;
            const std::int64_t above = (centre - level) * kSlope;
            if (centre >= spans[i].top || above >= 65535 - kOpen) {
                break;
            }
            auto &value = density.at(x, y, z);
            if (value >= kOpen) {
                value =
                    static_cast<std::uint16_t>(std::clamp<std::int64_t>(kOpen + above, 0, value));
            }
        }
    });
}

} // namespace karst::cave_volume

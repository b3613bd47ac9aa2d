#include "generators/cave_volume_spans.hpp"

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

void add_column(const Field3D<std::uint16_t> &density, std::int64_t x, std::int64_t y,
                std::vector<Span> &spans) {
    const std::int64_t depth = density.depth();
    std::int64_t before = 0; // rock below the volume
    bool inside = false;
    for (std::int64_t z = 0; z < depth; ++z) {
        const std::int64_t here = density.at(x, y, z);
        if (here >= kOpen && !inside) {
            spans.push_back({z == 0 ? 0 : crossing(z - 1, before, here), 0});
            inside = true;
        } else if (here < kOpen && inside) {
            spans.back().top = crossing(z - 1, before, here);
            inside = false;
        }
        before = here;
    }
    if (inside) {
        spans.back().top = static_cast<std::int32_t>(depth * kUnit);
    }
}

} // namespace

Spans find_spans(core::Run &run, const Field3D<std::uint16_t> &density) {
    const std::int64_t width = density.width();
    const std::int64_t height = density.height();
    std::vector<std::vector<Span>> rows(static_cast<std::size_t>(height));
    std::vector<std::int64_t> counts(static_cast<std::size_t>(width * height));
    run.for_rows(height, [&](std::int64_t y) {
        auto &row = rows[static_cast<std::size_t>(y)];
        for (std::int64_t x = 0; x < width; ++x) {
            const std::size_t before = row.size();
            add_column(density, x, y, row);
            counts[static_cast<std::size_t>(y * width + x)] =
                static_cast<std::int64_t>(row.size() - before);
        }
    });
    Spans spans{{width, height}, {0}, {}};
    spans.first.reserve(counts.size() + 1);
    for (const std::int64_t count : counts) {
        spans.first.push_back(spans.first.back() + count);
    }
    spans.spans.reserve(static_cast<std::size_t>(spans.first.back()));
    for (const auto &row : rows) {
        spans.spans.insert(spans.spans.end(), row.begin(), row.end());
    }
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
    std::vector<std::int32_t> next(floor.size());
    for (int pass = 0; pass < passes; ++pass) {
        for_spans([&](std::int64_t column, std::int64_t i) {
            const auto at = static_cast<std::size_t>(i);
            std::int64_t sum = 2 * std::int64_t{floor[at]};
            std::int64_t count = 2;
            for_overlaps(spans, column, i, [&](std::int64_t j, int) {
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

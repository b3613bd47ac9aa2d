#include "generators/crack_maps.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/extent.hpp"
#include "core/run.hpp"
#include "generators/crack_graph.hpp"
#include "generators/distance_layer.hpp"
#include "shape/relief.hpp"

namespace karst {

namespace {

using shape::Green;

constexpr double kReachWidths = 4;    // crack widths that occlusion looks
constexpr double kRangePieces = 0.75; // pieces that the distance reaches

// The ground's height in the steps of its depth.
Field2D<std::int32_t> heights_of(core::Run &run, const Field2D<std::uint16_t> &depth) {
    Field2D<std::int32_t> heights(depth.extent(), run.memory());
    run.for_rows(depth.height(), [&](std::int64_t y) {
        for (std::int64_t x = 0; x < depth.width(); ++x) {
            heights.at(x, y) = -std::int32_t{depth.at(x, y)};
        }
    });
    return heights;
}

Layer amount(const char *name, LayerData data, double scale, double offset) {
    return {.name = name,
            .meaning = LayerMeaning::amount,
            .unit = "",
            .scale = scale,
            .offset = offset,
            .data = std::move(data)};
}

} // namespace

std::vector<LayerInfo> crack_map_infos() {
    constexpr auto map = LayerKind::map;
    return {
        {"distance",
         "Distance to the edge of a crack, 32768 on it, less in a crack; up to 0.75 piece_size.",
         "", map, true},
        {"normal", "Tangent-space normals, green up (OpenGL), 16 bits.", "", map, true},
        {"normal_directx", "The same with green down.", "", map, true},
        {"normal_8", "Normals of 8 bits, green up.", "", map, true},
        {"normal_directx_8", "Normals of 8 bits, green down.", "", map, true},
        {"ambient_occlusion", "65535 in the open, less in cracks; looks 4 crack_widths far.", "",
         map, true},
        {"graph", "Nodes and edges of the cracks with widths, lengths and plates.", "",
         LayerKind::document, true},
        {"graph_svg", "The graph as lines with their widths, one unit a cell.", "",
         LayerKind::drawing, true},
    };
}

void check_crack_maps(const Job &job, const Options &options) {
    constexpr std::uint64_t kMost = 80; // bytes a cell: the copies of occlusion or of the graph
    for (const LayerInfo &info : crack_map_infos()) {
        if (asks_for(job, info.name)) {
            core::require_sides(job.extent);
            core::require_memory(static_cast<std::uint64_t>(job.extent.cells()) * kMost,
                                 "maps of cracks", options);
        }
    }
}

CrackMaps make_crack_maps(const Job &job, const Options &options, const CrackParams &params,
                          const CrackResult &cracks) {
    CrackMaps maps;
    if (job.layers.empty()) {
        return maps;
    }
    Options own = options;
    own.progress = {}; // the job that made the cracks told all of it
    core::Run run(own);
    run.stage("maps", 1);
    if (asks_for(job, "distance")) {
        const double piece = std::min(params.piece_size, params.plate_size);
        maps.layers.push_back(
            distance_layer(run, cracks.mask, kRangePieces * piece, job.cell, Boundary::torus));
    }
    const double rise = cracks.depth_scale / job.cell;
    const Field2D<std::int32_t> heights = heights_of(run, cracks.depth);
    const auto add_normals = [&]<class Cell>(const char *name, Green green, Cell) {
        if (asks_for(job, name)) {
            constexpr double kLargest = std::numeric_limits<typename Cell::value_type>::max();
            maps.layers.push_back(
                amount(name, shape::normals<Cell>(run, heights, rise, Boundary::torus, green),
                       2 / kLargest, -1));
        }
    };
    add_normals("normal", Green::up, Rgb16{});
    add_normals("normal_directx", Green::down, Rgb16{});
    add_normals("normal_8", Green::up, Rgb8{});
    add_normals("normal_directx_8", Green::down, Rgb8{});
    if (asks_for(job, "ambient_occlusion")) {
        const double reach = kReachWidths * params.crack_width / job.cell;
        maps.layers.push_back(amount(
            "ambient_occlusion",
            shape::ambient_occlusion(run, heights, rise, reach, Boundary::torus), 1.0 / 65535, 0));
    }
    if (asks_for(job, "graph") || asks_for(job, "graph_svg")) {
        auto documents = crack::crack_graph(run, cracks, job.cell, job.seed);
        if (asks_for(job, "graph")) {
            maps.documents.push_back({"graph", std::move(documents.json)});
        }
        if (asks_for(job, "graph_svg")) {
            maps.documents.push_back({"graph_svg", std::move(documents.svg)});
        }
    }
    run.finish();
    return maps;
}

} // namespace karst

// Heights and weights for engines, for programs that have an artifact.
#include <algorithm>
#include <utility>

#include <karst/io.hpp>

#include "io/exporters.hpp"
#include "io/hole_files.hpp"
#include "io/png.hpp"
#include "io/profiles.hpp"
#include "io/weights.hpp"

namespace karst {

namespace {

void check_holes(const io::HeightPlan &plan, const Field2D<std::uint8_t> &holes) {
    if (holes.extent() != plan.extent) {
        throw Error(ErrorCode::invalid_argument,
                    "the mask of holes is " + std::to_string(holes.width()) + "x" +
                        std::to_string(holes.height()) + "; allowed is the heights' " +
                        std::to_string(plan.extent.width) + "x" +
                        std::to_string(plan.extent.height));
    }
}

const Layer &heights_of(const Artifact &artifact) {
    const bool exact = std::any_of(artifact.layers.begin(), artifact.layers.end(),
                                   [](const Layer &layer) { return layer.name == "elevation"; });
    return artifact.layer(exact ? "elevation" : "height");
}

// What names itself in the files, without the layers.
Artifact namesake(const Artifact &artifact) {
    Artifact result;
    result.generator = artifact.generator;
    result.seed = artifact.seed;
    result.cell = artifact.cell;
    return result;
}

} // namespace

std::vector<std::string> write_heights(const std::string &path, const Artifact &artifact,
                                       const HeightExport &options) {
    const io::HeightSource source = io::height_source(heights_of(artifact), artifact.cell);
    io::HeightPlan plan =
        io::plan_heights(io::find_profile(options.profile), path, source.extent, options.tiles);
    if (options.holes != nullptr) {
        check_holes(plan, *options.holes);
        io::add_holes(plan);
    }
    const Artifact names = namesake(artifact);
    const io::Format &format = io::find_format(path);
    io::OutputFiles files;
    for (const auto &tile : plan.tiles) {
        const Layer layer = io::tile_layer(plan, source, tile);
        io::OutputFile &file = files.add(tile.path);
        if (options.holes == nullptr) {
            io::write_layer(file, format, names, layer);
            continue;
        }
        const io::HoleMask mask = io::cut_holes(*options.holes, tile.window);
        io::write_heights(file, plan, names, layer, mask);
        if (!tile.holes.empty()) {
            io::write_holes(files.add(tile.holes), plan, names, mask);
        }
    }
    files.add(plan.import_path()).write(io::import_text(plan, source));
    if (!plan.raw_sidecar.empty()) {
        files.add(plan.raw_sidecar).write(io::raw_sidecar_text(plan));
    }
    files.commit();
    return files.paths();
}

std::vector<std::string> write_weights(const std::string &path, const Artifact &artifact,
                                       std::span<const std::string> layers) {
    if (io::extension_of(path) != ".png") {
        throw Error(ErrorCode::invalid_argument, "'" + path + "': weights are written as .png");
    }
    std::vector<const Field2D<std::uint8_t> *> fields;
    for (const auto &name : layers) {
        const auto *field = std::get_if<Field2D<std::uint8_t>>(&artifact.layer(name).data);
        if (field == nullptr) {
            throw Error(ErrorCode::invalid_argument,
                        "layer '" + name + "' is no map of 8 bits, as weights are");
        }
        fields.push_back(field);
    }
    auto weights = io::normalised_weights(fields);
    io::OutputFiles files;
    const std::string stem = path.substr(0, path.size() - 4);
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const Layer layer{layers[i], LayerMeaning::amount, "", 1.0 / 255, 0, std::move(weights[i])};
        io::write_png(files.add(stem + "_" + layers[i] + ".png"), artifact, layer);
    }
    files.commit();
    return files.paths();
}

} // namespace karst

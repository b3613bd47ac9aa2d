// Heights and weights for engines, for programs that have an artifact.
#include <algorithm>
#include <memory>
#include <utility>

#include <karst/io.hpp>

#include "io/exporters.hpp"
#include "io/exr.hpp"
#include "io/holes.hpp"
#include "io/manifest.hpp"
#include "io/png.hpp"
#include "io/profiles.hpp"
#include "io/weights.hpp"

namespace karst {

namespace {

// Files that get their names together.
class Files {
public:
    io::OutputFile &add(const std::string &path) {
        return *files_.emplace_back(std::make_unique<io::OutputFile>(path));
    }
    std::vector<std::string> commit() {
        std::vector<std::string> paths;
        for (const auto &file : files_) {
            file->finish();
        }
        for (const auto &file : files_) {
            file->commit();
            paths.push_back(file->path());
        }
        return paths;
    }

private:
    std::vector<std::unique_ptr<io::OutputFile>> files_;
};

std::string beside(const std::string &path, const std::string &prefix, const char *extension) {
    const std::string name = io::file_name(path);
    const std::string stem = name.substr(0, name.size() - io::extension_of(name).size());
    return path.substr(0, path.size() - name.size()) + prefix + "_" + stem + extension;
}

void write_mask(Files &files, const std::string &path, const Artifact &artifact,
                Field2D<std::uint8_t> mask) {
    const Layer layer{"holes", LayerMeaning::mask, "", 1, 0, std::move(mask)};
    io::write_png(files.add(path), artifact, layer);
}

// `mask` is the tile's.
void write_holes(Files &files, const io::HeightPlan &plan, const std::string &path,
                 const Artifact &artifact, const io::HoleMask &mask) {
    switch (plan.profile->holes) {
    case io::HoleFile::none:
        return;
    case io::HoleFile::visibility:
        return write_mask(files, beside(path, "Visibility", ".png"), artifact,
                          io::unreal_visibility(mask));
    case io::HoleFile::quads:
        return write_mask(files, beside(path, "Holes", ".png"), artifact, io::unity_holes(mask));
    case io::HoleFile::control:
        return io::write_bits_exr(files.add(beside(path, "Control", ".exr")),
                                  io::terrain3d_control(mask));
    }
}

bool writes_exr(const io::HeightPlan &plan) {
    return plan.format->extension == ".exr";
}

void check_holes(const io::HeightPlan &plan, const Field2D<std::uint8_t> &holes) {
    if (holes.extent() != plan.extent) {
        throw Error(ErrorCode::invalid_argument,
                    "the mask of holes is " + std::to_string(holes.width()) + "x" +
                        std::to_string(holes.height()) + "; allowed is the heights' " +
                        std::to_string(plan.extent.width) + "x" +
                        std::to_string(plan.extent.height));
    }
    if (plan.profile->holes == io::HoleFile::none && !writes_exr(plan)) {
        throw Error(ErrorCode::unsupported, "cannot write holes to '" + plan.path + "': profile " +
                                                std::string(plan.profile->name) +
                                                " has them in .exr only");
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
    const io::HeightPlan plan =
        io::plan_heights(io::find_profile(options.profile), path, source.extent, options.tiles);
    if (options.holes != nullptr) {
        check_holes(plan, *options.holes);
    }
    const Layer holes{"holes", LayerMeaning::mask,
                      "",      1,
                      0,       options.holes != nullptr ? *options.holes : io::HoleMask()};
    const Artifact names = namesake(artifact);
    const io::Format &format = io::find_format(path);
    Files files;
    for (const auto &tile : plan.tiles) {
        const Layer layer = io::tile_layer(plan, source, tile);
        io::OutputFile &file = files.add(tile.path);
        if (options.holes == nullptr) {
            io::write_layer(file, format, names, layer);
            continue;
        }
        const Layer part = io::cut(holes, tile.window);
        const auto &mask = std::get<io::HoleMask>(part.data);
        if (writes_exr(plan)) {
            io::write_exr(file, names, layer, &mask);
        } else {
            io::write_layer(file, format, names, layer);
        }
        write_holes(files, plan, tile.path, names, mask);
    }
    files.add(plan.import_path()).write(io::import_text(plan, source));
    if (!plan.raw_sidecar.empty()) {
        files.add(plan.raw_sidecar).write(io::raw_sidecar_text(plan));
    }
    return files.commit();
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
    Files files;
    const std::string stem = path.substr(0, path.size() - 4);
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const Layer layer{layers[i], LayerMeaning::amount, "", 1.0 / 255, 0, std::move(weights[i])};
        io::write_png(files.add(stem + "_" + layers[i] + ".png"), artifact, layer);
    }
    return files.commit();
}

} // namespace karst

#include "io/hole_files.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <karst/error.hpp>

#include "io/exporters.hpp"
#include "io/exr.hpp"
#include "io/manifest.hpp"
#include "io/png.hpp"

namespace karst::io {

namespace {

std::string beside(const std::string &path, const std::string &prefix, const char *extension) {
    const std::string name = file_name(path);
    const std::string stem = name.substr(0, name.size() - extension_of(name).size());
    return path.substr(0, path.size() - name.size()) + prefix + "_" + stem + extension;
}

void write_mask(OutputFile &file, const Artifact &names, Field2D<std::uint8_t> mask) {
    const Layer layer{"holes", LayerMeaning::mask, "", 1, 0, std::move(mask)};
    write_png(file, names, layer);
}

bool keeps_nan(const HeightPlan &plan) {
    return plan.format->extension == ".exr";
}

} // namespace

void add_holes(HeightPlan &plan) {
    const HoleFile kind = plan.profile->holes;
    if (kind == HoleFile::none || (kind == HoleFile::nan && !keeps_nan(plan))) {
        throw Error(ErrorCode::unsupported,
                    "cannot write holes to '" + plan.path + "': profile " +
                        std::string(plan.profile->name) +
                        (kind == HoleFile::nan ? " has them in .exr only"
                                               : " has none; allowed is unreal, unity, godot, or "
                                                 "generic with .exr"));
    }
    plan.holes = true;
    for (HeightTile &tile : plan.tiles) {
        tile.holes = kind == HoleFile::visibility ? beside(tile.path, "Visibility", ".png")
                     : kind == HoleFile::quads    ? beside(tile.path, "Holes", ".png")
                     : kind == HoleFile::control  ? beside(tile.path, "Control", ".exr")
                                                  : "";
    }
}

HoleMask cut_holes(const HoleMask &mask, const Window &window) {
    HoleMask part(window.extent);
    for (std::int64_t y = 0; y < part.height(); ++y) {
        const auto row = mask.row(window.y + y)
                             .subspan(static_cast<std::size_t>(window.x),
                                      static_cast<std::size_t>(part.width()));
        std::copy(row.begin(), row.end(), part.row(y).begin());
    }
    return part;
}

void write_heights(OutputFile &file, const HeightPlan &plan, const Artifact &names,
                   const Layer &layer, const HoleMask &mask) {
    if (keeps_nan(plan)) {
        write_exr(file, names, layer, &mask);
    } else {
        write_layer(file, find_format(plan.path), names, layer);
    }
}

void write_holes(OutputFile &file, const HeightPlan &plan, const Artifact &names,
                 const HoleMask &mask) {
    switch (plan.profile->holes) {
    case HoleFile::none:
    case HoleFile::nan:
        return;
    case HoleFile::visibility:
        return write_mask(file, names, unreal_visibility(mask));
    case HoleFile::quads:
        return write_mask(file, names, unity_holes(mask));
    case HoleFile::control:
        return write_bits_exr(file, terrain3d_control(mask));
    }
}

} // namespace karst::io

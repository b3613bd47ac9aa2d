#include "cli/levels.hpp"

#include <algorithm>

#include <karst/error.hpp>

namespace karst::cli {

namespace {

constexpr std::string_view kToken = "{lod}";
constexpr const char *kLayer = "lods"; // its parts are NAME_LOD0, NAME_LOD1, ...
constexpr int kLevels = 4;

std::string replaced(std::string text, const std::string &by) {
    for (auto at = text.find(kToken); at != std::string::npos; at = text.find(kToken)) {
        text.replace(at, kToken.size(), by);
    }
    return text;
}

// Of "cave_LOD2", and of "cave_LOD2_0", a piece of it that 16-bit indices number.
bool is_of_level(const std::string &part, int level) {
    const std::string end = "_LOD" + std::to_string(level);
    const auto at = part.rfind("_LOD");
    return at != std::string::npos && part.compare(at, end.size(), end) == 0 &&
           (at + end.size() == part.size() || part[at + end.size()] == '_');
}

} // namespace

std::vector<Target> parse_targets(const std::string &text, std::span<const LayerInfo> layers) {
    const auto [name, path] = split_output(text);
    if (path.find(kToken) == std::string::npos) {
        return {parse_target(text, layers)};
    }
    const auto refuse = [&text](const std::string &why) {
        throw Error(ErrorCode::invalid_argument, "-o " + text + ": " + why);
    };
    const bool has_levels = std::any_of(
        layers.begin(), layers.end(), [](const LayerInfo &layer) { return layer.name == kLayer; });
    if (!has_levels || (!name.empty() && name != kLayer)) {
        refuse("{lod} is for levels of detail; allowed is a name without it" +
               std::string(has_levels ? ", or the layer lods" : ""));
    }
    const std::string file = io::file_name(path);
    if (replaced(path, "").size() - replaced(file, "").size() != path.size() - file.size()) {
        refuse("{lod} is for the file's name; allowed is a folder without it");
    }
    const Target all = parse_target(kLayer + ("=" + path), layers);
    std::vector<Target> targets;
    for (int level = 0; level < kLevels; ++level) {
        Target target = all;
        target.path = replaced(path, std::to_string(level));
        target.level = io::LevelRecord{file, level};
        targets.push_back(std::move(target));
    }
    return targets;
}

MeshLayer level_of(const MeshLayer &layer, int level) {
    MeshLayer result;
    result.name = layer.name;
    result.sockets = layer.sockets;
    for (const auto &part : layer.parts) {
        if (is_of_level(part.name, level)) {
            result.parts.push_back(part);
        }
    }
    if (result.parts.empty()) {
        throw Error(ErrorCode::unsupported, "the mesh '" + layer.name + "' has no level " +
                                                std::to_string(level) +
                                                "; allowed is a name without {lod}");
    }
    return result;
}

} // namespace karst::cli

#include "cli/levels.hpp"

#include <algorithm>

#include <karst/error.hpp>

#include "core/levels.hpp"

namespace karst::cli {

namespace {

constexpr std::string_view kToken = "{lod}";
constexpr const char *kLayer = "lods";

std::string replaced(std::string text, const std::string &by) {
    for (auto at = text.find(kToken); at != std::string::npos; at = text.find(kToken)) {
        text.replace(at, kToken.size(), by);
    }
    return text;
}

// Of "cave_LOD2", and of "cave_LOD2_0", a piece of it that 16-bit indices number.
bool is_of_level(const std::string &part, int level) {
    const std::string end = core::level_name("", level);
    const auto at = part.rfind(end);
    return at != std::string::npos &&
           (at + end.size() == part.size() || part[at + end.size()] == '_');
}

std::vector<const MeshPart *> parts_of(const MeshLayer &layer, int level) {
    std::vector<const MeshPart *> parts;
    for (const auto &part : layer.parts) {
        if (is_of_level(part.name, level)) {
            parts.push_back(&part);
        }
    }
    if (parts.empty()) {
        throw Error(ErrorCode::unsupported, "the mesh '" + layer.name + "' has no level " +
                                                std::to_string(level) +
                                                "; allowed is a name without {lod}");
    }
    return parts;
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
    for (auto &level : level_files(path)) {
        Target target = all;
        target.path = std::move(level);
        target.level = io::LevelRecord{file, static_cast<int>(targets.size())};
        targets.push_back(std::move(target));
    }
    return targets;
}

std::vector<std::string> level_files(const std::string &path) {
    if (path.find(kToken) == std::string::npos) {
        return {path};
    }
    std::vector<std::string> files;
    for (int level = 0; level < core::kLevels; ++level) {
        files.push_back(replaced(path, std::to_string(level)));
    }
    return files;
}

MeshLayer level_of(const MeshLayer &layer, int level) {
    MeshLayer result;
    result.name = layer.name;
    result.sockets = layer.sockets;
    for (const MeshPart *part : parts_of(layer, level)) {
        result.parts.push_back(*part);
    }
    return result;
}

io::MeshRecord level_record(const MeshLayer &layer, int level) {
    io::MeshRecord record;
    record.name = layer.name;
    record.sockets = layer.sockets.size();
    for (const MeshPart *part : parts_of(layer, level)) {
        record.parts.push_back(io::part_record(*part));
    }
    return record;
}

} // namespace karst::cli

#include "io/formats.hpp"

#include <algorithm>
#include <cctype>

#include "io/exporters.hpp"
#include "io/mesh_formats.hpp"

namespace karst::io {

namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

std::vector<FormatInfo> collect() {
    std::vector<FormatInfo> all;
    for (const auto &format : formats()) {
        FormatInfo &info = all.emplace_back(FormatInfo{format.extension, format.help, {}});
        if (format.maps) {
            info.kinds.push_back(LayerKind::map);
        }
        if (format.volumes) {
            info.kinds.push_back(LayerKind::volume);
        }
    }
    for (const auto &format : mesh_formats()) {
        all.push_back({format.extension, format.help, {LayerKind::mesh}});
    }
    all.push_back({".json", "a document, keys in a fixed order", {LayerKind::document}});
    all.push_back({".svg", "a drawing, one unit a cell", {LayerKind::drawing}});
    return all;
}

} // namespace

std::span<const FormatInfo> all_formats() {
    static const std::vector<FormatInfo> all = collect();
    return all;
}

std::string extension_of(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const auto dot = name.rfind('.');
    return dot == std::string_view::npos || dot == 0 ? "" : lower(name.substr(dot));
}

const FormatInfo *format_of(std::string_view path) {
    const std::string extension = path == "-" ? ".png" : extension_of(path);
    for (const auto &format : all_formats()) {
        if (format.extension == extension) {
            return &format;
        }
    }
    return nullptr;
}

bool can_hold(const FormatInfo &format, LayerKind kind) {
    return std::find(format.kinds.begin(), format.kinds.end(), kind) != format.kinds.end();
}

std::string extensions_for(std::span<const LayerKind> kinds) {
    std::string list;
    for (const auto &format : all_formats()) {
        if (std::any_of(kinds.begin(), kinds.end(),
                        [&format](LayerKind kind) { return can_hold(format, kind); })) {
            list += (list.empty() ? "" : ", ") + std::string(format.extension);
        }
    }
    return list;
}

const char *kind_name(LayerKind kind) {
    switch (kind) {
    case LayerKind::map:
        return "map";
    case LayerKind::volume:
        return "volume";
    case LayerKind::mesh:
        return "mesh";
    case LayerKind::document:
        return "document";
    case LayerKind::drawing:
        return "drawing";
    }
    return "";
}

} // namespace karst::io

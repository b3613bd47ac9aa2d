// Every file format there is, whatever kind of layer it holds.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <karst/artifact.hpp>

namespace karst::io {

struct FormatInfo {
    std::string_view extension; // ".png"
    std::string_view help;
    std::vector<LayerKind> kinds; // what it can hold
};

// The tables of exporters.hpp and mesh_formats.hpp, then .json for documents and .svg for drawings.
std::span<const FormatInfo> all_formats();

// In lower case, with its dot; empty: none.
std::string extension_of(std::string_view path);

// By the extension of `path`, upper or lower case; "-" alone is .png. Null: there is none such.
const FormatInfo *format_of(std::string_view path);

bool can_hold(const FormatInfo &format, LayerKind kind);

// The formats that can hold any of `kinds`: ".png, .npy".
std::string extensions_for(std::span<const LayerKind> kinds);

const char *kind_name(LayerKind kind); // "map", "volume", "mesh", "document", "drawing"

} // namespace karst::io

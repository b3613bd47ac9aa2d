// The formats of maps and volumes, one row each: which layers it holds, how it is written.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <karst/artifact.hpp>

#include "io/file.hpp"
#include "io/formats.hpp"
#include "io/manifest.hpp"

namespace karst::io {

// number * scale + offset is an amount in the layer's unit.
struct FileNumbers {
    double scale = 1;
    double offset = 0;
};

struct Format {
    std::string_view extension; // ".png"
    std::string_view help;
    std::string_view holds; // what it can hold, for messages and docs
    bool maps;
    bool volumes;
    // Of those kinds, which layers.
    bool (*can_hold)(const Layer &layer);
    // Writes the layer, does not commit. Throws Error(io_failure), Error(cancelled).
    void (*write)(OutputFile &file, const Artifact &artifact, const Layer &layer);
    // What the stored numbers mean, where that is not the layer's own scale and offset; null: it
    // is.
    std::optional<FileNumbers> (*numbers)(const Layer &layer) = nullptr;
    bool channels = false; // whether it holds cells of several channels
};

std::span<const Format> formats();

// By the extension of `path`, upper or lower case; "-" alone is .png to the standard output.
// Throws Error(invalid_argument) that lists the extensions there are, after `other`, which the
// caller writes itself.
const Format &find_format(std::string_view path, std::string_view other = "");

// format.write after a check; throws Error(unsupported) that names the formats that can hold the
// layer.
void write_layer(OutputFile &file, const Format &format, const Artifact &artifact,
                 const Layer &layer);

// The scale and the offset of the numbers in the file, each where it is not the layer's.
std::optional<double> file_scale(const Format &format, const Layer &layer);
std::optional<double> file_offset(const Format &format, const Layer &layer);

// What the manifest says of the layer in a file of that format.
ArrayRecord file_record(const Format &format, const Layer &layer);

} // namespace karst::io

#include "io/exporters.hpp"

#include <array>
#include <bit>

#include "io/exr.hpp"
#include "io/manifest.hpp"
#include "io/png.hpp"
#include "io/vox.hpp"

namespace karst::io {

static_assert(std::endian::native == std::endian::little,
              "raw and npy files are written from memory as little-endian");

namespace {

bool any_layer(const Layer &) {
    return true;
}

bool is_8_bit(const Layer &layer) {
    return bits(layer.data) == 8;
}

bool is_16_bit(const Layer &layer) {
    return bits(layer.data) == 16;
}

bool is_amount(const Layer &layer) {
    return layer.meaning == LayerMeaning::amount;
}

std::optional<FileNumbers> png_numbers(const Layer &layer) {
    const auto scale = png_scale(layer);
    return scale ? std::optional(FileNumbers{*scale, layer.offset}) : std::nullopt;
}

// Floats are the amounts themselves.
std::optional<FileNumbers> float_numbers(const Layer &) {
    return FileNumbers{};
}

void write_float_exr(OutputFile &file, const Artifact &artifact, const Layer &layer) {
    write_exr(file, artifact, layer);
}

void write_cells(OutputFile &file, const Layer &layer) {
    std::visit([&file](const auto &field) { file.write(field.data(), field.cells().size_bytes()); },
               layer.data);
}

void write_raw(OutputFile &file, const Artifact &, const Layer &layer) {
    write_cells(file, layer);
}

// NumPy format version 1.0 (numpy/lib/format.py): magic, version, length of the header, the header
// padded with spaces so that the data starts at a multiple of 64.
void write_npy(OutputFile &file, const Artifact &, const Layer &layer) {
    const int bytes = bits(layer.data) / 8;
    const Extent3 size = extent(layer.data);
    const std::string planes = is_volume(layer.data) ? std::to_string(size.depth) + ", " : "";
    const int channel_count = channels(layer.data);
    const std::string last = channel_count > 1 ? ", " + std::to_string(channel_count) : "";
    std::string header = std::string("{'descr': '") + (bytes == 1 ? "|" : "<") + "u" +
                         std::to_string(bytes) + "', 'fortran_order': False, 'shape': (" + planes +
                         std::to_string(size.height) + ", " + std::to_string(size.width) + last +
                         "), }";
    constexpr std::size_t kPrefix = 10;
    header.append(63 - (kPrefix + header.size()) % 64, ' ');
    header += '\n';
    std::string start("\x93NUMPY\x01\x00", 8);
    start += static_cast<char>(header.size() & 0xff);
    start += static_cast<char>(header.size() >> 8);
    file.write(start + header);
    write_cells(file, layer);
}

constexpr std::array kFormats{
    Format{".png",
           "8 or 16-bit grey, RGB or RGBA; ids and previews in colour; 32-bit amounts as 16-bit "
           "grey, 65535 at the maximum",
           "maps", true, false, any_layer, write_png, png_numbers, true},
    Format{".npy", "NumPy array, the exact integers", "maps and volumes", true, true, any_layer,
           write_npy, nullptr, true},
    Format{".r16", "16-bit little-endian, no header", "16-bit maps of one channel", true, false,
           is_16_bit, write_raw},
    Format{".exr", "OpenEXR, amounts as 32-bit floats in their unit", "maps of amounts", true,
           false, is_amount, write_float_exr, float_numbers},
    Format{".r32", "amounts as 32-bit floats in their unit, little-endian, no header",
           "maps of amounts", true, false, is_amount, write_r32, float_numbers},
    Format{".raw", "the layer's integers, little-endian, no header", "maps and volumes", true, true,
           any_layer, write_raw, nullptr, true},
    Format{".vox", "MagicaVoxel: a voxel for each cell that is not 0", "8-bit volumes", false, true,
           is_8_bit, write_vox},
};

bool is_of_kind(const Format &format, const Layer &layer) {
    return (is_volume(layer.data) ? format.volumes : format.maps) && format.can_hold(layer) &&
           (format.channels || channels(layer.data) == 1);
}

} // namespace

std::span<const Format> formats() {
    return kFormats;
}

const Format &find_format(std::string_view path, std::string_view other) {
    if (path == "-") {
        return kFormats.front();
    }
    const std::string extension = extension_of(path);
    std::string list(other);
    for (const auto &format : kFormats) {
        if (format.extension == extension) {
            return format;
        }
        list += (list.empty() ? "" : ", ") + std::string(format.extension);
    }
    throw Error(ErrorCode::invalid_argument,
                "'" + std::string(path) + "' has " +
                    (extension.empty() ? "no extension" : "the unknown extension " + extension) +
                    "; allowed is one of " + list);
}

void write_layer(OutputFile &file, const Format &format, const Artifact &artifact,
                 const Layer &layer) {
    if (!is_of_kind(format, layer)) {
        std::string list;
        for (const auto &other : kFormats) {
            if (is_of_kind(other, layer)) {
                list += (list.empty() ? "" : ", ") + std::string(other.extension);
            }
        }
        throw Error(ErrorCode::unsupported,
                    "cannot write '" + file.path() + "': " + std::string(format.extension) +
                        " holds " + std::string(format.holds) + ", and layer '" + layer.name +
                        "' is a " + (is_volume(layer.data) ? "volume" : "map") + " of " +
                        (channels(layer.data) == 1
                             ? ""
                             : std::to_string(channels(layer.data)) + " channels of ") +
                        std::to_string(bits(layer.data)) + " bits a cell (" +
                        meaning_name(layer.meaning) + "); allowed is one of " + list);
    }
    format.write(file, artifact, layer);
}

std::optional<double> file_scale(const Format &format, const Layer &layer) {
    const auto numbers = format.numbers == nullptr ? std::nullopt : format.numbers(layer);
    return numbers && numbers->scale != layer.scale ? std::optional(numbers->scale) : std::nullopt;
}

std::optional<double> file_offset(const Format &format, const Layer &layer) {
    const auto numbers = format.numbers == nullptr ? std::nullopt : format.numbers(layer);
    return numbers && numbers->offset != layer.offset ? std::optional(numbers->offset)
                                                      : std::nullopt;
}

ArrayRecord file_record(const Format &format, const Layer &layer) {
    ArrayRecord record = array_record(layer);
    record.file_scale = file_scale(format, layer);
    record.file_offset = file_offset(format, layer);
    return record;
}

} // namespace karst::io

#include "io/apng.hpp"

#include <new>

#include <zlib.h>

#include <karst/error.hpp>

#include "io/png_encode.hpp"

namespace karst::io {

namespace {

void append(std::string &bytes, std::uint64_t value, int size) { // big-endian
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
        bytes += static_cast<char>((value >> shift) & 0xff);
    }
}

void write_chunk(OutputFile &file, std::string_view type, const std::string &data) {
    if (data.size() > 0x7fffffff) {
        throw Error(ErrorCode::unsupported,
                    "cannot write '" + file.path() + "': a picture of it packs to " +
                        std::to_string(data.size()) + " bytes; allowed is 2147483647");
    }
    write_png_chunk(file, type, data);
}

// Appends the rows of indices, each behind filter 0, which suits indices best, as a zlib stream.
void append_pixels(std::string &data, const Field2D<std::uint8_t> &pixels) {
    std::string rows;
    for (std::int64_t y = 0; y < pixels.height(); ++y) {
        const auto row = pixels.row(y);
        rows += '\0';
        rows.append(row.begin(), row.end());
    }
    uLongf size = compressBound(static_cast<uLong>(rows.size()));
    const std::size_t before = data.size();
    data.resize(before + size);
    if (compress2(reinterpret_cast<Bytef *>(data.data() + before), &size,
                  reinterpret_cast<const Bytef *>(rows.data()), static_cast<uLong>(rows.size()),
                  6) != Z_OK) {
        throw std::bad_alloc(); // the bound is one, so that only memory can be missing
    }
    data.resize(before + size);
}

std::string header(const Animation &animation) {
    std::string data;
    append(data, static_cast<std::uint64_t>(animation.still.width()), 4);
    append(data, static_cast<std::uint64_t>(animation.still.height()), 4);
    append(data, 8, 1); // bits
    append(data, 3, 1); // a palette
    append(data, 0, 3); // compression, filter, interlace: what everyone has
    return data;
}

std::string frame_control(const AnimationFrame &frame, std::uint32_t sequence) {
    constexpr int kLeave = 0;   // dispose_op: what was painted stays
    constexpr int kReplace = 0; // blend_op
    std::string data;
    append(data, sequence, 4);
    append(data, static_cast<std::uint64_t>(frame.pixels.width()), 4);
    append(data, static_cast<std::uint64_t>(frame.pixels.height()), 4);
    append(data, static_cast<std::uint64_t>(frame.corner.x), 4);
    append(data, static_cast<std::uint64_t>(frame.corner.y), 4);
    append(data, static_cast<std::uint64_t>(frame.milliseconds), 2);
    append(data, 1000, 2);
    append(data, kLeave, 1);
    append(data, kReplace, 1);
    return data;
}

} // namespace

void write_apng(OutputFile &file, const Animation &animation) {
    file.write(kPngSignature);
    write_chunk(file, "IHDR", header(animation));
    for (const auto &[key, text] : animation.texts) {
        write_chunk(file, "tEXt", key + '\0' + text);
    }
    std::string palette;
    for (const std::uint32_t colour : animation.palette) {
        append(palette, colour, 3);
    }
    write_chunk(file, "PLTE", palette);
    std::string control;
    append(control, static_cast<std::uint64_t>(animation.frames), 4);
    append(control, 0, 4); // plays: for ever
    write_chunk(file, "acTL", control);
    // No fcTL before it: the still picture is no frame.
    std::string data;
    append_pixels(data, animation.still);
    write_chunk(file, "IDAT", data);
    std::uint32_t sequence = 0;
    for (int i = 0; i < animation.frames; ++i) {
        const AnimationFrame frame = animation.frame(i);
        write_chunk(file, "fcTL", frame_control(frame, sequence++));
        data.clear();
        append(data, sequence++, 4);
        append_pixels(data, frame.pixels);
        write_chunk(file, "fdAT", data);
    }
    write_chunk(file, "IEND", "");
}

} // namespace karst::io

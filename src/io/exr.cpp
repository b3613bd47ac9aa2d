#include "io/exr.hpp"

#include <bit>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfStringAttribute.h>

#include <karst/seed.hpp>

namespace karst::io {

namespace {

// Readers take a single channel of this name as grey: Godot 4 spreads it over red, green and blue.
constexpr const char *kChannel = "Y";

// OpenEXR goes back to fill in where each block of rows begins, so the file is made in memory.
class MemoryStream : public Imf::OStream {
public:
    MemoryStream() : Imf::OStream("memory") {}

    void write(const char bytes[], int size) override {
        const auto count = static_cast<std::size_t>(size);
        if (position_ + count > bytes_.size()) {
            bytes_.resize(position_ + count);
        }
        bytes_.replace(position_, count, bytes, count);
        position_ += count;
    }
    std::uint64_t tellp() override { return position_; }
    void seekp(std::uint64_t position) override { position_ = static_cast<std::size_t>(position); }

    std::string_view bytes() const { return bytes_; }

private:
    std::string bytes_;
    std::size_t position_ = 0;
};

using FillRow = std::function<void(std::int64_t y, std::span<float> row)>;
using Text = std::vector<std::pair<std::string, std::string>>;

void write_rows(OutputFile &file, Extent2 size, const Text &text, const FillRow &fill) {
    constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
    if (size.width > kLargest || size.height > kLargest) {
        throw Error(ErrorCode::unsupported, "cannot write '" + file.path() +
                                                "': OpenEXR holds at most " +
                                                std::to_string(kLargest) + " pixels a side");
    }
    Imf::Header header(static_cast<int>(size.width), static_cast<int>(size.height));
    header.compression() = Imf::ZIP_COMPRESSION;
    header.channels().insert(kChannel, Imf::Channel(Imf::FLOAT));
    for (const auto &[key, value] : text) {
        header.insert(key, Imf::StringAttribute(value));
    }
    MemoryStream stream;
    {
        std::vector<float> row(static_cast<std::size_t>(size.width));
        // No threads of OpenEXR's own: it would keep them for the process.
        Imf::OutputFile image(stream, header, 0);
        Imf::FrameBuffer buffer;
        // A stride of 0 from row to row: every row is taken from the same place.
        buffer.insert(kChannel, Imf::Slice(Imf::FLOAT, reinterpret_cast<char *>(row.data()),
                                           sizeof(float), 0));
        image.setFrameBuffer(buffer);
        for (std::int64_t y = 0; y < size.height; ++y) {
            fill(y, row);
            image.writePixels(1);
        }
    }
    file.write(stream.bytes());
}

Text text_of(const Artifact &artifact, const Layer &layer) {
    Text text{{"karst:generator", artifact.generator},
              {"karst:algorithm", std::to_string(KARST_ALGORITHM_VERSION)},
              {"karst:layer", layer.name},
              {"karst:unit", layer.unit}};
    if (artifact.seed) {
        text.emplace_back("karst:seed", seed_to_string(*artifact.seed));
    }
    return text;
}

} // namespace

void fill_metres(const Layer &layer, std::int64_t y, std::span<float> row) {
    std::visit(
        [&layer, y, row](const auto &field) {
            using Cell = typename std::decay_t<decltype(field)>::value_type;
            if constexpr (std::is_integral_v<Cell> && !requires { field.depth(); }) { // a map
                const auto cells = field.row(y);
                for (std::size_t x = 0; x < row.size(); ++x) {
                    row[x] = static_cast<float>(cells[x] * layer.scale + layer.offset);
                }
            }
        },
        layer.data);
}

void write_exr(OutputFile &file, const Artifact &artifact, const Layer &layer,
               const Field2D<std::uint8_t> *holes) {
    const Extent3 size = extent(layer.data);
    write_rows(file, {size.width, size.height}, text_of(artifact, layer),
               [&layer, holes](std::int64_t y, std::span<float> row) {
                   fill_metres(layer, y, row);
                   for (std::size_t x = 0; holes != nullptr && x < row.size(); ++x) {
                       if (holes->row(y)[x] != 0) {
                           row[x] = std::numeric_limits<float>::quiet_NaN();
                       }
                   }
               });
}

void write_bits_exr(OutputFile &file, const Field2D<std::uint32_t> &bits) {
    write_rows(file, bits.extent(), {}, [&bits](std::int64_t y, std::span<float> row) {
        for (std::size_t x = 0; x < row.size(); ++x) {
            row[x] = std::bit_cast<float>(bits.row(y)[x]);
        }
    });
}

void write_r32(OutputFile &file, const Artifact &, const Layer &layer) {
    const Extent3 size = extent(layer.data);
    std::vector<float> row(static_cast<std::size_t>(size.width));
    for (std::int64_t y = 0; y < size.height; ++y) {
        fill_metres(layer, y, row);
        file.write(row.data(), row.size() * sizeof(float));
    }
}

} // namespace karst::io

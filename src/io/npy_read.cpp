#include "io/npy_read.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <new>
#include <optional>
#include <string_view>
#include <vector>

namespace karst::io {

static_assert(std::endian::native == std::endian::little, "cells are read into memory as they are");

namespace {

constexpr std::int64_t kLargestSide = std::int64_t{1} << 27;

// The header is the text of a Python dictionary (numpy/lib/format.py). This reads those of strings,
// booleans and tuples of whole numbers; false: it is another text.
class HeaderText {
public:
    explicit HeaderText(std::string_view text) : rest_(text) {}

    struct Values {
        std::optional<std::string> descr;
        std::optional<bool> fortran_order;
        std::optional<std::vector<std::int64_t>> shape;
    };

    bool read(Values &values) {
        if (!skip('{')) {
            return false;
        }
        while (!skip('}')) {
            std::string key;
            if (!string(key) || !skip(':') || !value(key, values)) {
                return false;
            }
            if (!skip(',')) {
                return skip('}') && at_end();
            }
        }
        return at_end();
    }

private:
    void skip_blanks() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) {
            rest_.remove_prefix(1);
        }
    }

    bool at_end() {
        skip_blanks();
        return rest_.empty();
    }

    bool skip(char wanted) {
        skip_blanks();
        if (rest_.empty() || rest_.front() != wanted) {
            return false;
        }
        rest_.remove_prefix(1);
        return true;
    }

    bool word(std::string_view wanted) {
        skip_blanks();
        if (!rest_.starts_with(wanted)) {
            return false;
        }
        rest_.remove_prefix(wanted.size());
        return true;
    }

    bool string(std::string &text) {
        const char quote = skip('\'') ? '\'' : skip('"') ? '"' : '\0';
        const std::size_t end = quote == '\0' ? rest_.npos : rest_.find(quote);
        if (end == rest_.npos) {
            return false;
        }
        text = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        return text.find('\\') == text.npos;
    }

    bool number(std::int64_t &value) {
        skip_blanks();
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (error != std::errc{} || value < 0) {
            return false;
        }
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return true;
    }

    bool value(const std::string &key, Values &values) {
        if (key == "descr") {
            return string(values.descr.emplace());
        }
        if (key == "fortran_order") {
            values.fortran_order = word("True");
            return *values.fortran_order || word("False");
        }
        if (key != "shape" || !skip('(')) {
            return false;
        }
        auto &shape = values.shape.emplace();
        while (!skip(')')) {
            if (shape.size() == 32 || !number(shape.emplace_back())) {
                return false;
            }
            if (!skip(',')) {
                return skip(')');
            }
        }
        return true;
    }

    std::string_view rest_;
};

std::string text_of(const std::vector<std::int64_t> &shape) {
    std::string text;
    for (const std::int64_t side : shape) {
        text += (text.empty() ? "(" : ", ") + std::to_string(side);
    }
    return text.empty() ? "()" : text + ")";
}

template <class T>
LayerData filled(InputFile &input, Extent2 size) {
    Field2D<T> field(size);
    input.read(field.data(), field.cells().size_bytes(), "all of its numbers");
    return field;
}

struct Cells {
    int channels, bits;
    LayerData (*fill)(InputFile &input, Extent2 size);
};

} // namespace

LayerData read_cells(InputFile &input, Extent2 size, int channels, int bits,
                     std::uint64_t memory_limit) {
    constexpr std::array kFill{
        Cells{1, 8, filled<std::uint8_t>},   Cells{1, 16, filled<std::uint16_t>},
        Cells{1, 32, filled<std::uint32_t>}, Cells{3, 8, filled<Rgb8>},
        Cells{3, 16, filled<Rgb16>},         Cells{4, 8, filled<Rgba8>},
    };
    const auto *const cells = std::find_if(kFill.begin(), kFill.end(), [&](const Cells &known) {
        return known.channels == channels && known.bits == bits;
    });
    if (cells == kFill.end()) {
        input.refuse(std::to_string(channels) + " channels of " + std::to_string(bits) +
                     " bits a cell; allowed is 1 of 8, 16 or 32 bits, 3 of 8 or 16, or 4 of 8");
    }
    const std::string sides =
        std::to_string(size.width) + " x " + std::to_string(size.height) + " cells";
    if (size.width < 1 || size.height < 1 || size.width > kLargestSide ||
        size.height > kLargestSide) {
        input.refuse(sides + "; allowed is 1 to " + std::to_string(kLargestSide) + " a side");
    }
    // At most 2^54 * 6: no overflow.
    const auto bytes =
        static_cast<std::uint64_t>(size.cells()) * static_cast<std::uint64_t>(channels * bits / 8);
    const auto at = static_cast<std::uint64_t>(std::ftell(input.stream()));
    if (input.bytes() - at != bytes) {
        input.refuse(sides + " of " + std::to_string(channels * bits) + " bits are " +
                     std::to_string(bytes) + " bytes, and the file has " +
                     std::to_string(input.bytes() - at) + " of them");
    }
    if (bytes > memory_limit) {
        input.refuse(sides + " need " + std::to_string((bytes >> 20) + 1) +
                     " MiB of memory; allowed is " + std::to_string(memory_limit >> 20) + " MiB");
    }
    try {
        return cells->fill(input, size);
    } catch (const std::bad_alloc &) {
        throw Error(ErrorCode::out_of_memory,
                    "no memory for the " + sides + " of '" + input.path() + "'");
    }
}

LayerData read_npy(const std::string &path, std::uint64_t memory_limit) {
    InputFile input(path);
    constexpr const char *kWhole = "a NumPy file";
    std::array<unsigned char, 8> magic{};
    input.read(magic.data(), magic.size(), kWhole);
    if (std::string_view(reinterpret_cast<const char *>(magic.data()), 6) != "\x93NUMPY" ||
        magic[6] < 1 || magic[6] > 3) {
        input.refuse("it is no NumPy file of format 1, 2 or 3");
    }
    std::array<unsigned char, 4> length{};
    input.read(length.data(), magic[6] == 1 ? 2 : 4, kWhole);
    const std::uint32_t bytes = length[0] | std::uint32_t{length[1]} << 8 |
                                std::uint32_t{length[2]} << 16 | std::uint32_t{length[3]} << 24;
    if (bytes > 65535) {
        input.refuse("its header has " + std::to_string(bytes) + " bytes; allowed is 65535");
    }
    std::string header(bytes, '\0');
    input.read(header.data(), header.size(), kWhole);
    HeaderText::Values values;
    if (!HeaderText(header).read(values) || !values.descr || !values.fortran_order ||
        !values.shape) {
        input.refuse("its header is not a dictionary of descr, fortran_order and shape");
    }
    const std::string &type = *values.descr;
    const int bits = type == "|u1" || type == "<u1" ? 8
                     : type == "<u2"                ? 16
                     : type == "<u4"                ? 32
                                                    : 0;
    if (bits == 0) {
        input.refuse("its numbers are of type '" + type +
                     "'; allowed is |u1, <u2 or <u4: unsigned, little-endian");
    }
    const auto &shape = *values.shape;
    if (shape.size() < 2 || shape.size() > 3 || *values.fortran_order ||
        (shape.size() == 3 && shape[2] != 3 && shape[2] != 4)) {
        input.refuse("its shape is " + text_of(shape) +
                     (*values.fortran_order ? " in Fortran's order" : "") +
                     "; allowed is a map, (height, width) or (height, width, 3 or 4), row by row");
    }
    const int channels = shape.size() == 3 ? static_cast<int>(shape[2]) : 1;
    return read_cells(input, {shape[1], shape[0]}, channels, bits, memory_limit);
}

} // namespace karst::io

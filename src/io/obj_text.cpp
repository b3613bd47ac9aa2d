#include "io/obj_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include <karst/error.hpp>

namespace karst::io {

namespace {

constexpr std::size_t kLongestLine = 65536;
constexpr std::size_t kMostCorners = 255;
// tinyobjloader keeps an index of a vertex, times 3, in an int.
constexpr std::uint64_t kMostElements = std::numeric_limits<std::int32_t>::max() / 3;

// Statements that do not change the surface. Free forms (curv, surf, ...) are none of these.
constexpr std::array<std::string_view, 15> kIgnored{
    "o",      "g",      "s",     "mg",       "l",        "p",   "mtllib",    "usemtl",
    "maplib", "usemap", "bevel", "c_interp", "d_interp", "lod", "shadow_obj"};

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

// The next word of the line, empty at its end.
std::string_view next_word(std::string_view &line) {
    while (!line.empty() && is_blank(line.front())) {
        line.remove_prefix(1);
    }
    std::size_t length = 0;
    while (length < line.size() && !is_blank(line[length])) {
        ++length;
    }
    const std::string_view word = line.substr(0, length);
    line.remove_prefix(length);
    return word;
}

// In quotes, short and printable.
std::string quoted(std::string_view word) {
    std::string text(word.substr(0, 24));
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c >= 0x7f; }, '?');
    return "'" + text + (word.size() > 24 ? "..." : "") + "'";
}

class Checker {
public:
    explicit Checker(const std::string &name) : name_(name) {}

    ObjText check(std::string_view text) {
        while (!text.empty()) {
            ++line_;
            const auto end = text.find('\n');
            std::string_view line = text.substr(0, end);
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
            if (line.size() > kLongestLine) {
                refuse("a line of " + std::to_string(line.size()) + " bytes; allowed are " +
                       std::to_string(kLongestLine));
            }
            check_line(line.substr(0, line.find('#')));
        }
        if (result_.faces == 0) {
            throw Error(ErrorCode::invalid_input, name_ + ": it has no faces");
        }
        return std::move(result_);
    }

private:
    [[noreturn]] void refuse(const std::string &what) const {
        throw Error(ErrorCode::invalid_input, name_ + ":" + std::to_string(line_) + ": " + what);
    }

    void check_line(std::string_view line) {
        const std::string_view keyword = next_word(line);
        if (keyword == "v") {
            check_numbers(keyword, line, 3, result_.vertices);
        } else if (keyword == "vn") {
            check_numbers(keyword, line, 3, result_.normals);
        } else if (keyword == "vt") {
            check_numbers(keyword, line, 2, result_.uvs);
        } else if (keyword == "f") {
            check_face(line);
        } else if (!keyword.empty() &&
                   std::find(kIgnored.begin(), kIgnored.end(), keyword) == kIgnored.end()) {
            refuse(quoted(keyword) + " is no statement of a mesh");
        }
    }

    // `count` numbers; what follows (a weight, a colour) is left out.
    void check_numbers(std::string_view keyword, std::string_view line, int count,
                       std::uint64_t &elements) {
        result_.text += keyword;
        for (int i = 0; i < count; ++i) {
            std::string_view word = next_word(line);
            if (word.empty() && keyword == "vt" && i == 1) {
                word = "0"; // a texture of one dimension
            }
            const bool plus = word.starts_with('+') && !word.starts_with("+-");
            const std::string_view digits = word.substr(plus ? 1 : 0);
            float value = 0;
            const char *const end = digits.data() + digits.size();
            const auto [stop, error] = std::from_chars(digits.data(), end, value);
            // A number too small for a float is as good as 0; from_chars does not say which way.
            const bool tiny = error == std::errc::result_out_of_range && stop == end &&
                              digits.find("e-") != std::string_view::npos;
            if (!tiny && (error != std::errc() || stop != end || !std::isfinite(value))) {
                refuse(word.empty() ? std::string(keyword) + " has " + std::to_string(i) +
                                          " numbers; it takes " + std::to_string(count)
                                    : quoted(word) + " is no finite number");
            }
            result_.text += ' ';
            result_.text += tiny ? "0" : digits;
        }
        result_.text += '\n';
        if (++elements > kMostElements) {
            refuse("more than " + std::to_string(kMostElements) + " of " + std::string(keyword));
        }
    }

    void check_face(std::string_view line) {
        result_.text += 'f';
        std::size_t corners = 0;
        for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
            check_corner(word);
            ++corners;
        }
        result_.text += '\n';
        if (corners < 3 || corners > kMostCorners) {
            refuse("a face of " + std::to_string(corners) + " corners; allowed are 3 to " +
                   std::to_string(kMostCorners));
        }
        ++result_.faces;
        result_.corners += corners;
    }

    // "7", "7/3", "7//5", "7/3/5".
    void check_corner(std::string_view word) {
        std::array<std::string_view, 3> fields{};
        std::string_view rest = word;
        std::size_t count = 0;
        for (bool more = true; more; ++count) {
            if (count == 3) {
                refuse(quoted(word) + " is no corner of a face");
            }
            const auto slash = rest.find('/');
            more = slash != std::string_view::npos;
            fields[count] = rest.substr(0, slash);
            rest.remove_prefix(more ? slash + 1 : rest.size());
        }
        result_.text += ' ';
        write_index(fields[0], result_.vertices, word, "vertices");
        const bool uv = !fields[1].empty();
        const bool normal = !fields[2].empty();
        if (uv || normal) {
            result_.text += '/';
        }
        if (uv) {
            write_index(fields[1], result_.uvs, word, "texture coordinates");
        }
        if (normal) {
            result_.text += '/';
            write_index(fields[2], result_.normals, word, "normals");
        }
        result_.all_uvs = result_.all_uvs && uv;
        result_.all_normals = result_.all_normals && normal;
    }

    // A negative index counts back from the last element so far.
    void write_index(std::string_view field, std::uint64_t elements, std::string_view word,
                     const char *what) {
        std::int64_t index = 0;
        const char *const end = field.data() + field.size();
        const auto [stop, error] = std::from_chars(field.data(), end, index);
        if (stop != end || error == std::errc::invalid_argument) {
            refuse(quoted(word) + " is no corner of a face");
        }
        const auto count = static_cast<std::int64_t>(elements);
        if (error != std::errc() || index == 0 || index > count || index < -count) {
            refuse("index " + quoted(field) + "; there are " + std::to_string(count) + " " + what +
                   " before it");
        }
        result_.text += std::to_string(index > 0 ? index : count + 1 + index);
    }

    const std::string &name_;
    std::uint64_t line_ = 0;
    ObjText result_;
};

} // namespace

ObjText check_obj(std::string_view text, const std::string &name) {
    return Checker(name).check(text);
}

} // namespace karst::io

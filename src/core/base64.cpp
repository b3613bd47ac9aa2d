#include "core/base64.hpp"

namespace karst::core {

namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The value of a digit, -1 for another character.
int digit_value(char c) {
    const std::size_t found = kDigits.find(c);
    return found == std::string_view::npos ? -1 : static_cast<int>(found);
}

} // namespace

void append_base64(std::span<const std::uint32_t> values, std::string &text) {
    const std::size_t bytes = values.size() * 4;
    const auto byte = [&](std::size_t i) {
        return i < bytes ? (values[i / 4] >> (8 * (i % 4))) & 255u : 0u;
    };
    text.reserve(text.size() + base64_size(bytes));
    for (std::size_t i = 0; i < bytes; i += 3) {
        const std::uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
        for (std::size_t digit = 0; digit < 4; ++digit) {
            text += i + digit > bytes ? '=' : kDigits[(three >> (18 - 6 * digit)) & 63u];
        }
    }
}

bool read_base64(std::string_view text, std::span<std::uint32_t> values) {
    const std::size_t bytes = values.size() * 4;
    if (text.size() != base64_size(bytes)) {
        return false;
    }
    std::size_t at = 0; // of the bytes
    for (std::size_t i = 0; i < text.size(); i += 4) {
        std::uint32_t three = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const bool padding = at + k > bytes; // the last group has 1 or 2 bytes
            const int value = padding ? 0 : digit_value(text[i + k]);
            if (value < 0 || (padding && text[i + k] != '=')) {
                return false;
            }
            three = three << 6 | static_cast<std::uint32_t>(value);
        }
        for (std::size_t k = 0; k < 3 && at < bytes; ++k, ++at) {
            const std::uint32_t byte = (three >> (16 - 8 * k)) & 255;
            const std::uint32_t before = at % 4 == 0 ? 0 : values[at / 4];
            values[at / 4] = before | byte << (8 * (at % 4));
        }
    }
    return true;
}

} // namespace karst::core

// Base64 (RFC 4648) of numbers in little-endian bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace karst::core {

// Characters, with the padding.
constexpr std::uint64_t base64_size(std::uint64_t bytes) {
    return (bytes + 2) / 3 * 4;
}

void append_base64(std::span<const std::uint32_t> values, std::string &text);

// The values of a text that holds exactly them; false for any other text.
bool read_base64(std::string_view text, std::span<std::uint32_t> values);

} // namespace karst::core

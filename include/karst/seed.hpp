// Seeds as a person writes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <karst/config.hpp>

namespace karst {

// A decimal or 0x-hexadecimal number is taken as the 64-bit seed itself; any other text, or any
// text after "str:", is hashed: FNV-1a 64 of its UTF-8 bytes, then the finaliser of splitmix64.
// Throws Error(invalid_argument) for empty text and for a number of more than 64 bits.
KARST_API std::uint64_t parse_seed(std::string_view text);

// "0x" and 16 lower-case hexadecimal digits.
KARST_API std::string seed_to_string(std::uint64_t seed);

} // namespace karst

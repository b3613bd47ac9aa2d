#include <karst/seed.hpp>

#include <charconv>
#include <cstdio>

#include <karst/error.hpp>

#include "core/rng.hpp"

namespace karst {

namespace {

std::uint64_t hash_text(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325u; // FNV-1a 64
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    }
    return core::mix64(hash);
}

} // namespace

std::uint64_t parse_seed(std::string_view text) {
    if (text.empty()) {
        throw Error(ErrorCode::invalid_argument, "seed is empty; allowed is a number of at most "
                                                 "64 bits, or text");
    }
    if (text.starts_with("str:")) {
        return hash_text(text.substr(4));
    }
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    const std::string_view digits = hexadecimal ? text.substr(2) : text;
    std::uint64_t value = 0;
    const char *const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value, hexadecimal ? 16 : 10);
    if (stop == end && error == std::errc()) {
        return value;
    }
    if (stop == end && error == std::errc::result_out_of_range) {
        throw Error(
            ErrorCode::invalid_argument,
            "seed is " + std::string(text) +
                ", more than 64 bits; allowed is 0 to 18446744073709551615, 0x and up to 16 "
                "hexadecimal digits, or text (str:" +
                std::string(text) + " forces text)");
    }
    return hash_text(text);
}

std::string seed_to_string(std::uint64_t seed) {
    char text[19];
    std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(seed));
    return text;
}

} // namespace karst

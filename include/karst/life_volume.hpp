// Life-like automata in three dimensions: 26 neighbours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <karst/simulate.hpp>

namespace karst {

// An outer-totalistic rule: bit n is set if a cell with n of 26 live neighbours is born, survives.
// The default is Bays's Life 4555, which has a glider.
struct LifeRule3 {
    std::uint32_t birth = 1u << 5;
    std::uint32_t survive = (1u << 4) | (1u << 5);
    friend constexpr bool operator==(const LifeRule3 &, const LifeRule3 &) = default;
};

// "B14-26/S13-26": lists of counts and ranges, also lower case and "_" or nothing for "/".
// "13-26/13,14,17-19" is survival/birth; behind it "/2" (states) and "/2/M" (Moore) may stand.
// Throws Error(invalid_argument) for other notations.
KARST_API LifeRule3 parse_life_rule_3d(std::string_view text);
KARST_API std::string to_string(LifeRule3 rule); // "B13,14,17-19/S13-26"

// Cell (x, y, z) is bit x % 64 of word (x / 64, y, z).
using LifeVolume = LifeCells<Extent3>;

// As make_soup: the slice at the absolute z = 0 is the board of the same seed. Sides of 1 to 2^17.
KARST_API LifeVolume make_soup_3d(Extent3 extent, double density, std::uint64_t seed,
                                  Cell3 origin = {}, const Options &options = {});

// As simulate_life in 2D.
KARST_API LifeVolume simulate_life(const LifeVolume &volume, LifeRule3 rule, LifeBoundary boundary,
                                   std::int64_t generations, const Options &options = {});

// XXH3-64 of each row of words in little-endian bytes, then of the row digests by z, then y.
KARST_API std::uint64_t digest(const LifeVolume &volume);

} // namespace karst

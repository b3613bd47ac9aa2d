// How neighbouring places are joined: the openings between them and the ways from middle to middle.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/run.hpp"
#include "generators/cave_volume_places.hpp"

namespace karst::cave_volume {

using Spot = std::array<double, 2>; // seen from above, in cells

// Where two neighbours touch.
struct Contact {
    int a = 0; // < b
    int b = 0;
    std::uint64_t cost = UINT64_MAX;
    std::int64_t from = -1; // spans of the cheapest way across, in a and b
    std::int64_t to = -1;
    // Of all pairs of spans that touch:
    std::int64_t pairs = 0;
    Spot middle{};                      // sum of the middles of the edges between them
    std::array<std::int64_t, 2> step{}; // sum of the unit steps from a to b
    std::int32_t low = INT32_MAX;       // heights in steps of 1/256 cell
    std::int32_t high = INT32_MIN;
    double left = std::numeric_limits<double>::max(); // along the portal, from the middle
    double right = std::numeric_limits<double>::lowest();

    // Unit direction from a to b; east where they meet from opposite sides.
    Spot normal() const;
};

class Links {
public:
    // `mouths` are the middles of the entrances.
    Links(core::Run &run, const CaveVolumeParams &params, double cell, const Floors &floors,
          const Places &places, const std::vector<std::int64_t> &mouths);

    // The span that stands for a place.
    std::int64_t middle(int p) const { return middle_[static_cast<std::size_t>(p)]; }
    std::size_t count() const { return contacts_.size(); }
    // Of two neighbours in any order; count() if they are none.
    std::size_t index(int a, int b) const;
    const Contact &contact(int a, int b) const { return contacts_[index(a, b)]; }
    // Goes on with a way from the middle of `from` to that of its neighbour `to`.
    void extend(std::vector<std::int64_t> &way, int from, int to) const;

private:
    void find_middles(const std::vector<std::int64_t> &mouths);
    std::uint64_t price(std::int64_t i) const;
    void find_ways();
    void find_ways_in(int p);
    void find_contacts();
    Spot edge(std::int64_t i, std::size_t side) const;

    core::Run &run_;
    const Floors &floors_;
    const Places &places_;
    std::uint64_t half_;               // cells of half a passage's width, at most 64
    std::vector<std::int64_t> middle_; // of a place
    std::vector<std::uint64_t> cost_;  // of a span, from the middle of its place
    std::vector<std::int64_t> before_; // of a span on that way, -1 in the middle
    std::vector<Contact> contacts_;    // ascending (a, b)
};

} // namespace karst::cave_volume

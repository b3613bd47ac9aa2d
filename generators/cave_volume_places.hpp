// The places that a cave's level data is made of, found on its floors.
#pragma once

#include <cstdint>
#include <vector>

#include <karst/cave_volume.hpp>

#include "core/run.hpp"
#include "generators/cave_volume_floors.hpp"

namespace karst::cave_volume {

// Every span belongs to one place, and a place is connected. Rooms come first, then the entrances
// in their order, then parts of passages, by their first spans.
struct Places {
    int rooms = 0;
    int entrances = 0;
    std::vector<int> place;               // of a span
    std::vector<std::uint32_t> wall;      // of a span: squared cells to the column of the nearest
                                          // wall, from middle to middle
    std::vector<std::uint32_t> steps;     // of a span: to the nearest room or entrance
    std::vector<std::vector<int>> around; // of a place: its neighbours, ascending

    int count() const { return static_cast<int>(around.size()); }
    int of(std::int64_t i) const { return place[static_cast<std::size_t>(i)]; }
    const std::vector<int> &neighbours(int p) const { return around[static_cast<std::size_t>(p)]; }
};

// Steps that the width of a passage takes, at least 2.
std::int64_t band_of(const CaveVolumeParams &params, double cell);

// Rooms are where a circle of sqrt(passage_width * room_size) fits, at least of 1.5 passage widths,
// and half a passage's width around; an entrance is half such a width around its mouth. The bands,
// a passage's width wide, of equal distance to those are cut into connected parts: a Reeb graph.
// There is a span; `mouths` are spans, all different.
Places find_places(core::Run &run, const CaveVolumeParams &params, double cell,
                   const Floors &floors, const std::vector<std::int64_t> &mouths);

} // namespace karst::cave_volume

// Heights as writers see them: a grid that is read window by window, whether it lies in memory or
// is made tile after tile, with one range for all of it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include <karst/artifact.hpp>

namespace karst::io {

// A part of a map: its north-western sample and its extent.
struct Window {
    std::int64_t x = 0;
    std::int64_t y = 0;
    Extent2 extent;
    friend bool operator==(const Window &, const Window &) = default;
};

struct HeightSource {
    Extent2 extent;          // samples of the whole map
    double cell = 1;         // metres from sample to sample
    double step = 1;         // metres of one unit
    double zero = 0;         // metres of height 0
    std::int64_t lowest = 0; // units, over the whole map
    std::int64_t highest = 0;
    // Fills `heights` with a window's samples, row by row from the north.
    std::function<void(const Window &window, std::span<std::int32_t> heights)> read;

    double metres(std::int64_t height) const { return static_cast<double>(height) * step + zero; }
};

// From a map of amounts in metres that stays alive as long as the source. Throws
// Error(unsupported) for another layer and for one whose numbers do not fit 31 bits.
HeightSource height_source(const Layer &layer, double cell);

enum class HeightEncoding {
    levels, // 16 bits: 0 at the lowest height of the whole map, 65535 at the highest
    metres, // 32 bits, exact, for formats that hold floats
};

// The layer "height" of a window: its numbers in `encoding`, scale and offset so that number *
// scale + offset is metres. The scale and the offset are those of the whole map, so that equal
// heights are equal numbers in all windows.
Layer height_layer(const HeightSource &source, const Window &window, HeightEncoding encoding);

// Metres of one step of 16 bits. Where all heights are equal, of a range of one unit.
double level_step(const HeightSource &source);

// The same window of another map.
Layer cut(const Layer &layer, const Window &window);

// The rows from the south to the north.
void flip_rows(Layer &layer);

} // namespace karst::io

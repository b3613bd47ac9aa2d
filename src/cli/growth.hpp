// How a network grew, from the step at which each cell was first reached (the layer birth_time of
// simulate physarum).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <karst/field.hpp>

#include "io/apng.hpp"

namespace karst::cli {

class Growth {
public:
    // `birth` holds steps, 0: never reached. It is shown `size` pixels large, no side larger than
    // the field's; a pixel is born with the first of its cells. Throws Error(invalid_input) that
    // starts with `name` if no cell was ever reached.
    Growth(const Field2D<std::uint16_t> &birth, Extent2 size, const std::string &name);

    Extent2 size() const { return birth_.extent(); }

    // The last step but for the thousandth of the pixels that came after it: latecomers would
    // leave nearly nothing for the frames before them.
    int last_step() const { return last_; }

    // `frames` frames (2 to 1000), evenly spaced in steps, the newest cells bright; the last one
    // stands still for a while. Refers to this object.
    io::Animation animation(int frames, int milliseconds) const;
    // The step that frame `frame` of `frames` shows.
    int step_of(int frame, int frames) const;
    // What stands there at that step, 0x00RRGGBB.
    Field2D<std::uint32_t> picture(int frame, int frames) const;

private:
    std::uint8_t settled_colour(std::uint16_t birth) const;
    std::uint8_t colour(std::uint16_t birth, int frame, int frames) const;
    io::AnimationFrame frame(int frame, int frames, int milliseconds) const;

    Field2D<std::uint16_t> birth_; // of pixels
    int first_ = 0;
    int last_ = 0;
    std::vector<std::uint32_t> palette_;
};

} // namespace karst::cli

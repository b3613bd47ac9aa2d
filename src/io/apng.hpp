// Animated PNG of at most 256 colours (APNG 1.0: the chunks acTL, fcTL and fdAT beside a plain
// PNG).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <karst/field.hpp>

#include "io/file.hpp"

namespace karst::io {

// Takes the place of what the frames before it left there. Lies within the picture. (Pixels that
// leave what is below, blend_op OVER, would be smaller; some readers get them wrong with palettes.)
struct AnimationFrame {
    Cell2 corner; // upper left, in pixels of the picture
    Field2D<std::uint8_t> pixels;
    int milliseconds = 100; // on the screen, 1 to 65535
};

struct Animation {
    std::vector<std::uint32_t> palette; // 0x00RRGGBB, 1 to 256
    // What a program shows that knows plain PNG only.
    Field2D<std::uint8_t> still;
    int frames = 1;
    // Called for 0 to frames - 1 in this order. The first frame covers the whole picture.
    std::function<AnimationFrame(int)> frame;
    std::vector<std::pair<std::string, std::string>> texts; // tEXt chunks: keyword and text
};

// Does not commit; it repeats for ever. Throws Error(io_failure), Error(cancelled).
void write_apng(OutputFile &file, const Animation &animation);

} // namespace karst::io

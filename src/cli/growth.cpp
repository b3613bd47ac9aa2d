#include "cli/growth.hpp"

#include <algorithm>

#include <karst/error.hpp>

namespace karst::cli {

namespace {

// The palette: the ground, the newest cells from white to the colour of embers, and then
// what has settled, from old to young.
constexpr std::uint8_t kGround = 0;
constexpr int kGlowing = 8; // frames until a cell has settled
constexpr int kFirstSettled = 1 + kGlowing;
constexpr int kSettled = 256 - kFirstSettled;

struct Stop {
    double position;
    int red, green, blue;
};
constexpr Stop kGlow[] = {{0, 255, 250, 226}, {0.4, 255, 214, 120}, {1, 206, 142, 62}};
constexpr Stop kAge[] = {
    {0, 222, 190, 96}, {0.35, 122, 160, 98}, {0.7, 58, 118, 122}, {1, 52, 78, 118}};

template <std::size_t Count>
std::uint32_t mixed(const Stop (&ramp)[Count], double position) {
    std::size_t i = 1;
    while (i + 1 < Count && ramp[i].position < position) {
        ++i;
    }
    const Stop &a = ramp[i - 1];
    const Stop &b = ramp[i];
    const double t = (position - a.position) / (b.position - a.position);
    const auto channel = [t](int from, int to) {
        return static_cast<std::uint32_t>(from + t * (to - from) + 0.5);
    };
    return channel(a.red, b.red) << 16 | channel(a.green, b.green) << 8 | channel(a.blue, b.blue);
}

// The earliest step in the cells of each pixel.
Field2D<std::uint16_t> earliest(const Field2D<std::uint16_t> &birth, Extent2 size) {
    Field2D<std::uint16_t> pixels(size);
    for (std::int64_t y = 0; y < birth.height(); ++y) {
        for (std::int64_t x = 0; x < birth.width(); ++x) {
            const std::uint16_t step = birth.at(x, y);
            std::uint16_t &pixel =
                pixels.at(x * size.width / birth.width(), y * size.height / birth.height());
            if (step != 0 && (pixel == 0 || step < pixel)) {
                pixel = step;
            }
        }
    }
    return pixels;
}

} // namespace

Growth::Growth(const Field2D<std::uint16_t> &birth, Extent2 size, const std::string &name)
    : birth_(earliest(birth, size)) {
    std::vector<std::int64_t> born(65536);
    std::int64_t all = 0;
    for (const std::uint16_t step : birth_.cells()) {
        if (step != 0) {
            ++born[step];
            ++all;
        }
    }
    if (all == 0) {
        throw Error(ErrorCode::invalid_input,
                    name + ": no cell was ever reached; allowed is a birth time with one at least");
    }
    first_ = static_cast<int>(
        std::find_if(born.begin(), born.end(), [](std::int64_t count) { return count > 0; }) -
        born.begin());
    std::int64_t later = all;
    for (last_ = first_; last_ < 65535; ++last_) {
        later -= born[static_cast<std::size_t>(last_)];
        if (later * 1000 <= all) {
            break;
        }
    }
    palette_ = {0x14161b};
    for (int i = 0; i < kGlowing; ++i) {
        palette_.push_back(mixed(kGlow, i / double{kGlowing - 1}));
    }
    for (int i = 0; i < kSettled; ++i) {
        palette_.push_back(mixed(kAge, i / double{kSettled - 1}));
    }
}

int Growth::step_of(int frame, int frames) const {
    return first_ + static_cast<int>(static_cast<std::int64_t>(last_ - first_) * frame /
                                     std::max(frames - 1, 1));
}

std::uint8_t Growth::settled_colour(std::uint16_t birth) const {
    const int age = std::min<int>(birth, last_) - first_;
    const int place = age * (kSettled - 1) / std::max(last_ - first_, 1);
    return static_cast<std::uint8_t>(kFirstSettled + place);
}

// Frames beyond the last one let the glow die away.
std::uint8_t Growth::colour(std::uint16_t birth, int frame, int frames) const {
    if (birth == 0) {
        return kGround;
    }
    // The frame that shows this cell first; latecomers come with the last one.
    int born = frames - 1;
    if (birth < last_) {
        born = static_cast<int>(
            (static_cast<std::int64_t>(birth - first_) * (frames - 1) + (last_ - first_) - 1) /
            std::max(last_ - first_, 1));
    }
    if (frame < born) {
        return kGround;
    }
    return frame - born < kGlowing ? static_cast<std::uint8_t>(1 + frame - born)
                                   : settled_colour(birth);
}

io::AnimationFrame Growth::frame(int frame, int frames, int milliseconds) const {
    io::AnimationFrame result;
    result.milliseconds = milliseconds;
    const Extent2 size = birth_.extent();
    // The box around what differs from the frame before.
    std::int64_t left = size.width, right = -1, top = size.height, bottom = -1;
    Field2D<std::uint8_t> pixels(size);
    for (std::int64_t y = 0; y < size.height; ++y) {
        for (std::int64_t x = 0; x < size.width; ++x) {
            const std::uint16_t birth = birth_.at(x, y);
            pixels.at(x, y) = colour(birth, frame, frames);
            if (frame == 0 || pixels.at(x, y) != colour(birth, frame - 1, frames)) {
                left = std::min(left, x);
                right = std::max(right, x);
                top = std::min(top, y);
                bottom = y;
            }
        }
    }
    if (right < 0) { // nothing changed: a frame must have a pixel
        left = right = top = bottom = 0;
    }
    result.corner = {static_cast<std::int32_t>(left), static_cast<std::int32_t>(top)};
    result.pixels = Field2D<std::uint8_t>({right - left + 1, bottom - top + 1});
    for (std::int64_t y = top; y <= bottom; ++y) {
        const auto row = pixels.row(y).subspan(static_cast<std::size_t>(left),
                                               static_cast<std::size_t>(right - left + 1));
        std::copy(row.begin(), row.end(), result.pixels.row(y - top).begin());
    }
    return result;
}

io::Animation Growth::animation(int frames, int milliseconds) const {
    constexpr int kStandMilliseconds = 2500;
    io::Animation animation;
    animation.palette = palette_;
    animation.still = Field2D<std::uint8_t>(birth_.extent());
    for (std::int64_t i = 0; i < birth_.size(); ++i) {
        animation.still[i] = birth_[i] == 0 ? kGround : settled_colour(birth_[i]);
    }
    const int growing = std::max(2, frames - kGlowing); // and then the last cells settle
    animation.frames = frames;
    animation.frame = [this, growing, frames, milliseconds](int i) {
        return frame(i, growing, i + 1 == frames ? kStandMilliseconds : milliseconds);
    };
    return animation;
}

Field2D<std::uint32_t> Growth::picture(int frame, int frames) const {
    Field2D<std::uint32_t> result(birth_.extent());
    for (std::int64_t i = 0; i < birth_.size(); ++i) {
        const std::uint16_t birth = birth_[i];
        const bool there = birth != 0 && (frame + 1 == frames || birth <= step_of(frame, frames));
        result[i] = palette_[there ? settled_colour(birth) : kGround];
    }
    return result;
}

} // namespace karst::cli

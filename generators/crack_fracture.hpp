// Cracks that grow: tips that run through the ground until they meet a crack that stands.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fixed.hpp"
#include "generators/crack_lines.hpp"

namespace karst::crack {

inline Point along(std::uint16_t heading, std::int64_t length) {
    const core::Direction d = core::directions()[core::direction_index(heading)];
    return {core::scaled(d.cosine, static_cast<std::uint32_t>(length)),
            core::scaled(d.sine, static_cast<std::uint32_t>(length))};
}

inline Point centre(std::int64_t cell, Extent2 grid) {
    return {((cell % grid.width) << kPointBits) + kOneCell / 2,
            ((cell / grid.width) << kPointBits) + kOneCell / 2};
}

// What makes a tip turn. Angles are binary, 65536 = one turn.
struct Toughness {
    std::int64_t joint_sets = 0;
    std::uint16_t joint_heading = 0;
    std::uint16_t joint_angle = 0;     // from each set to the next
    std::uint32_t vein_pull = 1 << 14; // of the veins on a tip, 16 fraction bits
};

struct SplitRule {
    std::int64_t piece = 144;          // cells of a wanted piece
    std::uint32_t spread = 1 << 15;    // of the pieces' areas, 16 fraction bits
    std::uint32_t dead_ends = 1 << 13; // probability, 16 fraction bits
    std::uint32_t width_ratio = 1 << 15;
};

// The standing cracks of one layout grid.
class Fracture {
public:
    // `veins` is the trail that guides the tips, scaled to at most 65535; it gives the grid. Where
    // `walls` is 1 no crack grows; empty: everywhere.
    Fracture(core::Run &run, const Field2D<std::uint32_t> &veins, const Toughness &toughness,
             shape::Mask walls, std::uint64_t seed);

    // Lines that stand already, on this grid.
    void add(std::vector<Line> lines);
    // About `count` cracks that start on veins and grow all at once.
    void open(std::int64_t count);
    // Cracks across every plate larger than wanted, round by round, and then the dead ends.
    void split(const SplitRule &rule);

    std::vector<Line> take() { return std::move(lines_); }

private:
    struct Segment {
        Point a, b;
        std::int32_t crack;
        std::int32_t order; // along the crack, one tip counts up, the other down
        std::int32_t next;  // in the same cell, -1: none
    };
    struct Tip {
        std::int32_t crack = 0;
        std::int32_t order = 0; // of its last segment: 1, 2, ... or -1, -2, ...
        std::int32_t side = 1;
        std::uint16_t heading = 0;
        std::uint16_t course = 0;
        std::int64_t steps_left = 0;
        std::int64_t turn_radius = 0; // cells from a crack at which the tip turns to it
        std::int64_t beside = 0;      // steps in the shadow of a crack
        bool met = false;             // ended on a crack
        std::vector<Point> path;
    };

    // The plates between the standing cracks and walls, and how far each cell is from a crack.
    struct Survey {
        Field2D<std::uint32_t> distance; // 8 fraction bits
        shape::Regions plates;
    };
    // A place in a plate.
    struct Place {
        std::int64_t area = 0;   // of the plate
        std::uint32_t inner = 0; // largest distance in it
        std::int64_t cell = -1;
    };

    Extent2 grid() const { return veins_.extent(); }
    std::uint32_t draw(std::int64_t cell, std::uint32_t slot, std::uint32_t number = 0) const;
    Tip tip(Point start, std::uint16_t heading, int side, std::int64_t steps) const;
    bool shielded(const Tip &tip) const;
    bool step(Tip &tip, const Field2D<std::uint32_t> *distance);
    bool meets(const Tip &tip, Point from, Point &to) const;
    bool in_wall(std::int64_t cell) const { return !walls_.empty() && walls_[cell] != 0; }
    void insert(Point a, Point b, std::int32_t crack, std::int32_t order);
    void mark(Point a, Point b);
    void keep(const Tip &forward, const Tip &backward, std::uint32_t width);
    std::uint16_t shortest_cut(std::int64_t cell, const Field2D<std::uint32_t> &distance) const;
    std::int64_t cut_cost(Point start, std::uint16_t heading,
                          const Field2D<std::uint32_t> &distance) const;
    Survey survey() const;
    // In each plate, of the cells for which suits(place, distance), the one of the least draw.
    template <class F>
    std::vector<Place> places(const Survey &survey, std::uint32_t slot, F &&suits) const;
    std::vector<std::int64_t> strongest_veins(std::int64_t columns, std::int64_t rows) const;
    std::uint16_t opening_heading(std::int64_t cell) const;
    bool split_once(const SplitRule &rule, std::uint32_t round, std::uint32_t width);
    void grow_dead_ends(const SplitRule &rule, std::uint32_t width);

    core::Run &run_;
    const Field2D<std::uint32_t> &veins_;
    Toughness toughness_;
    shape::Mask walls_;
    std::uint64_t seed_;
    std::vector<Line> lines_;
    std::vector<Segment> segments_;
    Field2D<std::int32_t> first_; // segment of each cell, -1: none
    shape::Mask standing_;
    std::int32_t cracks_ = 0;
    std::int64_t shadow_ = 0; // cells beside a crack in which no other runs along with it
};

} // namespace karst::crack

#include "generators/cave_soup.hpp"

#include <algorithm>

#include "core/rng.hpp"
#include "sim/life.hpp"

namespace karst::cave {

LifeBoard make_soup(core::Run &run, const Field2D<std::uint32_t> &wall, std::uint64_t seed,
                    std::uint32_t soup) {
    LifeBoard board(wall.extent(), run.memory());
    const std::uint32_t use = core::use(core::stage_life_soup + soup);
    run.for_rows(wall.height(), [&](std::int64_t y) {
        const auto row = wall.row(y);
        for (std::int64_t x = 0; x < wall.width(); ++x) {
            const core::Draw4 draw = core::draw_at(seed, static_cast<std::int32_t>(x),
                                                   static_cast<std::int32_t>(y), 0, use);
            board.set(x, y, (draw.word[0] >> 16) < row[static_cast<std::size_t>(x)]);
        }
    });
    return board;
}

LifeBoard cave_rule(core::Run &run, LifeBoard board, int generations, Boundary edges) {
    constexpr LifeRule kMajority{.birth = 0b111100000, .survive = 0b111110000}; // B5678/S45678
    return sim::advance(run, std::move(board), kMajority,
                        edges == Boundary::torus ? LifeBoundary::torus : LifeBoundary::alive,
                        generations);
}

} // namespace karst::cave

// The specification of a generation, in two and three dimensions: one cell after another, a byte
// each.
#include "sim/life.hpp"

#include <array>

namespace karst::sim {

namespace {

template <std::size_t N>
using Place = std::array<std::int64_t, N>; // x, y, ...

Place<2> sides(Extent2 extent) {
    return {extent.width, extent.height};
}
Place<3> sides(Extent3 extent) {
    return {extent.width, extent.height, extent.depth};
}

// The offsets of the Moore neighbourhood, 8 or 26.
template <std::size_t N>
constexpr auto moore() {
    constexpr std::size_t kBlock = N == 2 ? 9 : 27;
    std::array<Place<N>, kBlock - 1> offsets{};
    std::size_t next = 0;
    for (std::size_t k = 0; k < kBlock; ++k) {
        if (k == kBlock / 2) {
            continue; // the cell itself
        }
        std::size_t rest = k;
        for (std::int64_t &d : offsets[next]) {
            d = static_cast<std::int64_t>(rest % 3) - 1;
            rest /= 3;
        }
        ++next;
    }
    return offsets;
}

template <class Extent, class Rule>
class PlainLife final : public BasicLifeEngine<LifeCells<Extent>> {
    static constexpr std::size_t kAxes = std::is_same_v<Extent, Extent2> ? 2 : 3;
    static constexpr auto kNeighbours = moore<kAxes>();

public:
    PlainLife(const LifeCells<Extent> &board, Rule rule, LifeBoundary boundary)
        : rule_(rule), boundary_(boundary), sides_(sides(board.extent())), cells_(board.extent()),
          next_(board.extent()) {
        for (std::int64_t i = 0; i < cells_.size(); ++i) {
            const auto [word, bit] = place_of(i, board.words().width());
            cells_[i] = (board.words()[word] >> bit) & 1;
        }
    }

    void advance(std::uint32_t generations) override {
        for (std::uint32_t i = 0; i < generations; ++i) {
            Place<kAxes> cell{};
            for (std::int64_t k = 0; k < cells_.size(); ++k) {
                next_[k] = rules::next_cell(cells_[k] != 0, neighbours(cell), rule_);
                for (std::size_t axis = 0; axis < kAxes && ++cell[axis] == sides_[axis]; ++axis) {
                    cell[axis] = 0;
                }
            }
            std::swap(cells_, next_);
        }
    }

private:
    LifeCells<Extent> &read() override {
        board_ = LifeCells<Extent>(cells_.extent());
        for (std::int64_t i = 0; i < cells_.size(); ++i) {
            const auto [word, bit] = place_of(i, board_.words().width());
            board_.words()[word] |= std::uint64_t{cells_[i]} << bit;
        }
        return board_;
    }

    struct BitPlace {
        std::int64_t word;
        std::int64_t bit;
    };
    BitPlace place_of(std::int64_t cell, std::int64_t words) const {
        const std::int64_t x = cell % sides_[0];
        return {cell / sides_[0] * words + x / 64, x % 64};
    }

    int neighbours(const Place<kAxes> &cell) const {
        int count = 0;
        for (const Place<kAxes> &offset : kNeighbours) {
            Place<kAxes> neighbour = cell;
            for (std::size_t axis = 0; axis < kAxes; ++axis) {
                neighbour[axis] += offset[axis];
            }
            count += alive(neighbour) ? 1 : 0;
        }
        return count;
    }

    bool alive(const Place<kAxes> &cell) const {
        std::int64_t index = 0;
        for (std::size_t axis = kAxes; axis-- > 0;) {
            const std::int64_t side = sides_[axis];
            std::int64_t at = cell[axis];
            if (at < 0 || at >= side) {
                if (boundary_ != LifeBoundary::torus) {
                    return boundary_ == LifeBoundary::alive;
                }
                at = (at + side) % side;
            }
            index = index * side + at;
        }
        return cells_[index] != 0;
    }

    Rule rule_;
    LifeBoundary boundary_;
    Place<kAxes> sides_;
    Field<std::uint8_t, Extent> cells_;
    Field<std::uint8_t, Extent> next_;
    LifeCells<Extent> board_; // what was read last
};

} // namespace

std::unique_ptr<LifeEngine> make_plain_life(const LifeBoard &board, LifeRule rule,
                                            LifeBoundary boundary) {
    return std::make_unique<PlainLife<Extent2, LifeRule>>(board, rule, boundary);
}

std::unique_ptr<LifeVolumeEngine> make_plain_life(const LifeVolume &volume, LifeRule3 rule,
                                                  LifeBoundary boundary) {
    return std::make_unique<PlainLife<Extent3, LifeRule3>>(volume, rule, boundary);
}

} // namespace karst::sim

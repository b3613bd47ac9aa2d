// The specification of a generation: one cell after another, a byte each.
#include "core/fixed.hpp"
#include "sim/life.hpp"

namespace karst::sim {

namespace {

class PlainLife final : public LifeEngine {
public:
    PlainLife(const LifeBoard &board, LifeRule rule, LifeBoundary boundary)
        : rule_(rule), boundary_(boundary), cells_(board.extent()), next_(board.extent()) {
        for (std::int64_t y = 0; y < cells_.height(); ++y) {
            for (std::int64_t x = 0; x < cells_.width(); ++x) {
                cells_.at(x, y) = board.alive(x, y);
            }
        }
    }

    void advance(std::uint32_t generations) override {
        for (std::uint32_t i = 0; i < generations; ++i) {
            for (std::int64_t y = 0; y < cells_.height(); ++y) {
                for (std::int64_t x = 0; x < cells_.width(); ++x) {
                    next_.at(x, y) =
                        rules::next_cell(cells_.at(x, y) != 0, neighbours(x, y), rule_);
                }
            }
            std::swap(cells_, next_);
        }
    }

    LifeBoard take() override {
        LifeBoard board(cells_.extent());
        for (std::int64_t y = 0; y < cells_.height(); ++y) {
            for (std::int64_t x = 0; x < cells_.width(); ++x) {
                board.set(x, y, cells_.at(x, y) != 0);
            }
        }
        return board;
    }

private:
    int neighbours(std::int64_t x, std::int64_t y) const {
        int count = 0;
        for (std::int64_t dy = -1; dy <= 1; ++dy) {
            for (std::int64_t dx = -1; dx <= 1; ++dx) {
                count += (dx != 0 || dy != 0) && alive(x + dx, y + dy) ? 1 : 0;
            }
        }
        return count;
    }

    bool alive(std::int64_t x, std::int64_t y) const {
        const std::int64_t width = cells_.width();
        const std::int64_t height = cells_.height();
        if (boundary_ == LifeBoundary::torus) {
            return cells_.at((x + width) % width, (y + height) % height) != 0;
        }
        if (x < 0 || y < 0 || x >= width || y >= height) {
            return boundary_ == LifeBoundary::alive;
        }
        return cells_.at(x, y) != 0;
    }

    LifeRule rule_;
    LifeBoundary boundary_;
    Field2D<std::uint8_t> cells_;
    Field2D<std::uint8_t> next_;
};

} // namespace

std::unique_ptr<LifeEngine> make_plain_life(const LifeBoard &board, LifeRule rule,
                                            LifeBoundary boundary) {
    return std::make_unique<PlainLife>(board, rule, boundary);
}

} // namespace karst::sim

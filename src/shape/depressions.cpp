// What drains stays as it is. The ground whose water ends in a pit is filled by Dijkstra's
// algorithm from the drained cells beside it, in each tile by itself, and again where a
// neighbouring tile has found lower ways: a cell's height only falls, and the least fixed point
// does not depend on the order of work.
#include "shape/drainage.hpp"

#include <atomic>
#include <bit>
#include <limits>
#include <mutex>

#include "shape/grid.hpp"

namespace karst::shape {

namespace {

constexpr std::uint8_t kCaught = 1;
constexpr std::uint8_t kRaised = 2;
constexpr std::int32_t kUnfilled = std::numeric_limits<std::int32_t>::max();

// A monotone priority queue (radix heap): keys that are popped never fall. Equal keys come in no
// stated order.
class RadixHeap {
public:
    struct Item {
        std::uint32_t key;
        std::uint32_t cell;
    };

    bool empty() const noexcept { return size_ == 0; }

    // Ready for keys below those that were popped.
    void restart() noexcept { last_ = 0; }

    void push(std::uint32_t key, std::uint32_t cell) {
        bucket(key).push_back({key, cell});
        ++size_;
    }

    Item pop() {
        if (buckets_[0].empty()) {
            std::size_t first = 1;
            while (buckets_[first].empty()) {
                ++first;
            }
            std::vector<Item> &from = buckets_[first];
            last_ = std::min_element(from.begin(), from.end(), [](const Item &a, const Item &b) {
                        return a.key < b.key;
                    })->key;
            for (const Item &item : from) {
                bucket(item.key).push_back(item);
            }
            from.clear();
        }
        const Item item = buckets_[0].back();
        buckets_[0].pop_back();
        --size_;
        return item;
    }

private:
    std::vector<Item> &bucket(std::uint32_t key) {
        return buckets_[static_cast<std::size_t>(std::bit_width(key ^ last_))];
    }

    std::array<std::vector<Item>, 33> buckets_;
    std::uint32_t last_ = 0;
    std::size_t size_ = 0;
};

// Keys of a radix heap are unsigned; the order of heights is kept.
std::uint32_t to_key(std::int32_t height) {
    return static_cast<std::uint32_t>(height) ^ 0x80000000u;
}

void set_flag(std::uint8_t &flag) {
    std::atomic_ref(flag).store(1, std::memory_order_relaxed);
}

} // namespace

struct Depressions::Ground {
    const Heights &heights;
    Scratch2D<std::int32_t> &filled;
    const Scratch2D<std::uint8_t> &caught;

    std::int32_t operator()(std::int64_t i) const {
        return caught[i] != 0 ? filled[i] : heights[i];
    }
};

// Brings the caught cells of one tile down to what the tile and the cells around it allow. Works on
// a copy with a frame of one cell, where nothing but those cells can fall.
class Depressions::TileFill {
public:
    TileFill(const Ground &ground, const Tiling &tiling)
        : ground_(ground), extent_(tiling.extent()), stride_(tiling.side() + 2),
          offset_(step_offsets(stride_)), floor_({stride_, stride_}), filled_({stride_, stride_}) {}

    // Gives whether a cell at the edge of the tile changed.
    bool operator()(const Tiling::Box &box) {
        heap_.restart();
        read(box);
        for (std::int64_t y = box.top; y < box.bottom; ++y) {
            for (std::int64_t k = place(box, box.left, y), end = k + box.width(); k < end; ++k) {
                if (filled_[k] == floor_[k]) {
                    continue;
                }
                std::int32_t lowest = kUnfilled;
                around(k, [&](std::int64_t n) { lowest = std::min(lowest, filled_[n]); });
                if (lowest != kUnfilled) {
                    lower(k, lowest + 1);
                }
            }
        }
        climb();
        while (!heap_.empty()) {
            const auto [key, cell] = heap_.pop();
            const std::int32_t height = filled_[cell];
            if (to_key(height) == key) { // not reached on a lower way since
                around(cell, [&](std::int64_t n) { lower(n, height + 1); });
                climb();
            }
        }
        return write(box);
    }

private:
    std::int64_t place(const Tiling::Box &box, std::int64_t x, std::int64_t y) const {
        return (y - box.top + 1) * stride_ + x - box.left + 1;
    }

    void read(const Tiling::Box &box) {
        for (std::int64_t y = box.top - 1; y <= box.bottom; ++y) {
            for (std::int64_t x = box.left - 1; x <= box.right; ++x) {
                const std::int64_t k = place(box, x, y);
                const bool in_map = x >= 0 && y >= 0 && x < extent_.width && y < extent_.height;
                const std::int64_t i = y * extent_.width + x;
                filled_[k] = in_map ? ground_(i) : kUnfilled;
                floor_[k] = box.holds(x, y) ? ground_.heights[i] : filled_[k];
            }
        }
    }

    bool write(const Tiling::Box &box) {
        bool edge_changed = false;
        for (std::int64_t y = box.top; y < box.bottom; ++y) {
            for (std::int64_t x = box.left; x < box.right; ++x) {
                const std::int64_t i = y * extent_.width + x;
                const std::int32_t filled = filled_[place(box, x, y)];
                if (ground_.caught[i] != 0 && ground_.filled[i] != filled) {
                    ground_.filled[i] = filled;
                    edge_changed = edge_changed || box.at_edge(x, y);
                }
            }
        }
        return edge_changed;
    }

    template <class F>
    void around(std::int64_t k, F &&f) const {
        for (const std::int64_t offset : offset_) {
            f(k + offset);
        }
    }

    // A cell beside ground of height `least` - 1.
    void lower(std::int64_t k, std::int32_t least) {
        const std::int32_t height = std::max(floor_[k], least);
        if (height >= filled_[k]) {
            return;
        }
        filled_[k] = height;
        if (height == floor_[k]) {
            slopes_.push_back(k); // as low as it can be
        } else {
            heap_.push(to_key(height), static_cast<std::uint32_t>(k));
        }
    }

    // From cells that stay as they are up to those that stay because of them; without the queue.
    void climb() {
        while (!slopes_.empty()) {
            const std::int64_t k = slopes_.back();
            slopes_.pop_back();
            const std::int32_t height = filled_[k];
            bool raises = false;
            around(k, [&](std::int64_t n) {
                if (floor_[n] > height) {
                    lower(n, height + 1);
                } else {
                    raises = raises || filled_[n] > height + 1;
                }
            });
            if (raises) {
                heap_.push(to_key(height), static_cast<std::uint32_t>(k));
            }
        }
    }

    const Ground &ground_;
    Extent2 extent_;
    std::int64_t stride_;
    std::array<std::int64_t, 8> offset_;
    Scratch2D<std::int32_t> floor_, filled_; // the ground, and what it is raised to
    RadixHeap heap_;
    std::vector<std::int64_t> slopes_;
};

Depressions::Depressions(core::Run &run, Extent2 extent)
    : tiling_(extent), filled_(extent), caught_(extent),
      has_caught_(static_cast<std::size_t>(tiling_.count())) {
    run.for_rows(extent.height, [&](std::int64_t y) {
        std::fill_n(caught_.row(y), extent.width, std::uint8_t{0});
    });
}

template <class F>
void Depressions::for_caught_tiles(core::Run &run, F &&f) const {
    run.for_ranges(tiling_.count(), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t tile = begin; tile < end; ++tile) {
            if (has_caught_[static_cast<std::size_t>(tile)] != 0) {
                f(tile);
            }
        }
    });
}

void Depressions::clear(core::Run &run) {
    for_caught_tiles(run, [&](std::int64_t tile) {
        const Tiling::Box box = tiling_.box(tile);
        for (std::int64_t y = box.top; y < box.bottom; ++y) {
            std::fill_n(&caught_.at(box.left, y), box.width(), std::uint8_t{0});
        }
    });
    std::fill(has_caught_.begin(), has_caught_.end(), std::uint8_t{0});
}

// Marks every cell whose water ends in a pit, from the pits upstream.
void Depressions::catch_water(core::Run &run, const Heights &heights,
                              const Field2D<std::uint8_t> &outlets,
                              const Field2D<std::uint8_t> &steps) {
    const Extent2 extent = heights.extent();
    std::vector<std::int64_t> pits;
    std::mutex mutex;
    run.for_ranges(heights.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::int64_t> found;
        for (std::int64_t i = begin; i < end; ++i) {
            if (steps[i] == kNoStep && outlets[i] == 0) {
                found.push_back(i);
            }
        }
        const std::lock_guard lock(mutex);
        pits.insert(pits.end(), found.begin(), found.end());
    });
    run.for_ranges(static_cast<std::int64_t>(pits.size()), 16,
                   [&](std::int64_t begin, std::int64_t end) {
                       std::vector<std::int64_t> upstream;
                       for (std::int64_t k = begin; k < end; ++k) {
                           upstream.push_back(pits[static_cast<std::size_t>(k)]);
                           while (!upstream.empty()) {
                               const std::int64_t i = upstream.back();
                               upstream.pop_back();
                               const std::int64_t y = i / extent.width;
                               const std::int64_t x = i - y * extent.width;
                               caught_[i] = kCaught;
                               filled_[i] = kUnfilled;
                               set_flag(has_caught_[static_cast<std::size_t>(tiling_.of(x, y))]);
                               for_steps(extent, x, y, [&](std::int64_t n, std::uint8_t s) {
                                   if (steps[n] == (s ^ 4)) {
                                       upstream.push_back(n);
                                   }
                               });
                           }
                       }
                   });
}

bool Depressions::fill(core::Run &run, const Heights &heights, const Field2D<std::uint8_t> &outlets,
                       const Descent &descent, Field2D<std::uint8_t> &steps) {
    clear(run);
    catch_water(run, heights, outlets, steps);
    const Ground ground{heights, filled_, caught_};

    // Tiles of one of four colours have none of the same colour beside them.
    std::vector<std::uint8_t> waiting = has_caught_;
    for (bool any = true; any;) {
        any = false;
        for (int colour = 0; colour < 4; ++colour) {
            std::vector<std::int64_t> now;
            for (std::int64_t row = colour / 2; row < tiling_.rows(); row += 2) {
                for (std::int64_t column = colour % 2; column < tiling_.columns(); column += 2) {
                    const std::int64_t tile = row * tiling_.columns() + column;
                    auto &flag = waiting[static_cast<std::size_t>(tile)];
                    if (flag != 0) {
                        flag = 0;
                        now.push_back(tile);
                    }
                }
            }
            any = any || !now.empty();
            const auto count = static_cast<std::int64_t>(now.size());
            run.for_ranges(count, 1, [&](std::int64_t begin, std::int64_t end) {
                TileFill fill_tile(ground, tiling_);
                for (std::int64_t k = begin; k < end; ++k) {
                    const std::int64_t tile = now[static_cast<std::size_t>(k)];
                    if (fill_tile(tiling_.box(tile))) {
                        tiling_.around(tile, [&](std::int64_t other) {
                            if (other != tile &&
                                has_caught_[static_cast<std::size_t>(other)] != 0) {
                                set_flag(waiting[static_cast<std::size_t>(other)]);
                            }
                        });
                    }
                }
            });
        }
    }

    std::uint8_t raised = 0;
    for_caught_tiles(run, [&](std::int64_t tile) {
        const Tiling::Box box = tiling_.box(tile);
        for (std::int64_t y = box.top; y < box.bottom; ++y) {
            for (std::int64_t x = box.left; x < box.right; ++x) {
                if (caught_.at(x, y) != 0) {
                    std::int32_t &filled = filled_.at(x, y);
                    if (filled == kUnfilled) { // the map has no outlet
                        filled = heights.at(x, y);
                    } else if (filled > heights.at(x, y)) {
                        caught_.at(x, y) = kRaised;
                        set_flag(raised);
                    }
                }
            }
        }
    });
    if (raised == 0) {
        return false;
    }
    // New steps on raised ground and beside it.
    run.for_rows(heights.height(), [&](std::int64_t y) {
        const std::int64_t width = heights.width();
        const std::int64_t above = std::max<std::int64_t>(0, y - 1);
        const std::int64_t below = std::min(heights.height() - 1, y + 1);
        const auto column = [&](std::int64_t x) {
            return (caught_.at(x, above) | caught_.at(x, y) | caught_.at(x, below)) & kRaised;
        };
        for (std::int64_t tile = tiling_.of(0, y), left = 0; left < width;
             ++tile, left += tiling_.side()) {
            bool near = false;
            tiling_.around(tile, [&](std::int64_t other) {
                near = near || has_caught_[static_cast<std::size_t>(other)] != 0;
            });
            const std::int64_t right = near ? std::min(width, left + tiling_.side()) : left;
            int before = left > 0 && near ? column(left - 1) : 0;
            int here = near ? column(left) : 0;
            for (std::int64_t x = left; x < right; ++x) {
                const int after = x + 1 < width ? column(x + 1) : 0;
                if ((before | here | after) != 0 && outlets.at(x, y) == 0) {
                    steps.at(x, y) = descent.at(x, y, ground);
                }
                before = here;
                here = after;
            }
        }
    });
    return true;
}

std::int64_t Depressions::raise(core::Run &run, Heights &heights) const {
    std::atomic<std::int64_t> raised{0};
    for_caught_tiles(run, [&](std::int64_t tile) {
        const Tiling::Box box = tiling_.box(tile);
        std::int64_t count = 0;
        for (std::int64_t y = box.top; y < box.bottom; ++y) {
            for (std::int64_t x = box.left; x < box.right; ++x) {
                if (caught_.at(x, y) == kRaised) {
                    heights.at(x, y) = filled_.at(x, y);
                    ++count;
                }
            }
        }
        raised += count;
    });
    return raised;
}

} // namespace karst::shape

#include "shape/erosion.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/fixed.hpp"
#include "core/rng.hpp"
#include "shape/grid.hpp"

namespace karst::shape {

namespace {

// A monotone priority queue (radix heap): keys that are popped never fall. Equal keys come in no
// stated order.
class RadixHeap {
public:
    struct Item {
        std::uint32_t key;
        std::uint32_t cell;
    };

    bool empty() const noexcept { return size_ == 0; }

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

// Distances of the neighbours of a cell in the array.
std::array<std::int64_t, 8> offsets(std::int64_t width) {
    std::array<std::int64_t, 8> offset{};
    for (std::size_t s = 0; s < 8; ++s) {
        offset[s] = kFlowSteps[s].y * width + kFlowSteps[s].x;
    }
    return offset;
}

// Calls f(neighbour index, step) for the neighbours inside the field.
class Neighbours {
public:
    explicit Neighbours(Extent2 extent) : extent_(extent), offset_(offsets(extent.width)) {}

    template <class F>
    void operator()(std::int64_t x, std::int64_t y, F &&f) const {
        const std::int64_t i = y * extent_.width + x;
        const bool inner = x > 0 && y > 0 && x + 1 < extent_.width && y + 1 < extent_.height;
        for (std::uint8_t s = 0; s < 8; ++s) {
            if (inner || inside(x + kFlowSteps[s].x, y + kFlowSteps[s].y)) {
                f(i + offset_[s], s);
            }
        }
    }

private:
    bool inside(std::int64_t x, std::int64_t y) const {
        return x >= 0 && y >= 0 && x < extent_.width && y < extent_.height;
    }

    Extent2 extent_;
    std::array<std::int64_t, 8> offset_;
};

// Keys of a radix heap are unsigned; the order of heights is kept.
std::uint32_t to_key(std::int32_t height) {
    return static_cast<std::uint32_t>(height) ^ 0x80000000u;
}

std::int32_t to_height(std::uint32_t key) {
    return static_cast<std::int32_t>(key ^ 0x80000000u);
}

} // namespace

namespace {

// 1 where water runs down to an outlet as the ground is, 0 where it is caught.
Field2D<std::uint8_t> drained(core::Run &run, const Heights &heights,
                              const Field2D<std::uint8_t> &outlets) {
    constexpr std::uint8_t kUnknown = 2;
    const Neighbours neighbours(heights.extent());
    const auto offset = offsets(heights.width());
    Field2D<std::uint8_t> down(heights.extent()); // step to the lowest lower neighbour
    Field2D<std::uint8_t> drains(heights.extent());
    run.for_rows(heights.height(), [&](std::int64_t y) {
        for (std::int64_t x = 0; x < heights.width(); ++x) {
            std::int32_t lowest = heights.at(x, y);
            std::uint8_t step = kNoStep;
            neighbours(x, y, [&](std::int64_t n, std::uint8_t s) {
                if (heights[n] < lowest) {
                    lowest = heights[n];
                    step = s;
                }
            });
            down.at(x, y) = step;
            drains.at(x, y) = outlets.at(x, y) != 0 ? 1 : step == kNoStep ? 0 : kUnknown;
        }
    });
    for (std::int64_t source = 0; source < heights.size(); ++source) {
        std::int64_t end = source;
        while (drains[end] == kUnknown) {
            end += offset[down[end]];
        }
        const std::uint8_t answer = drains[end];
        for (std::int64_t i = source; drains[i] == kUnknown; i += offset[down[i]]) {
            drains[i] = answer;
        }
    }
    return drains;
}

} // namespace

void fill_depressions(core::Run &run, Heights &heights, const Field2D<std::uint8_t> &outlets) {
    // Ground that drains is as it should be. The rest is raised by Dijkstra's algorithm from the
    // drained cells beside it: a cell is final when it is reached.
    Field2D<std::uint8_t> reached = drained(run, heights, outlets);
    const Neighbours neighbours(heights.extent());
    const std::int64_t width = heights.width();
    RadixHeap heap;
    for (std::int64_t i = 0; i < heights.size(); ++i) {
        if (reached[i] == 0) {
            neighbours(i % width, i / width, [&](std::int64_t n, std::uint8_t) {
                if (reached[n] == 1) {
                    reached[n] = 2;
                    heap.push(to_key(heights[n]), static_cast<std::uint32_t>(n));
                }
            });
        }
    }
    while (!heap.empty()) {
        const auto [key, cell] = heap.pop();
        const std::int32_t least = to_height(key) + 1;
        neighbours(cell % width, cell / width, [&](std::int64_t n, std::uint8_t) {
            if (reached[n] == 0) {
                reached[n] = 2;
                heights[n] = std::max(heights[n], least);
                heap.push(to_key(heights[n]), static_cast<std::uint32_t>(n));
            }
        });
    }
}

namespace {

// Where the point of a cell lies in it, from its centre in 1/32 of the cell: -12 to 12.
struct Point {
    std::int8_t x, y;
};

Point point(std::uint64_t seed, std::int64_t x, std::int64_t y) {
    const std::uint64_t hash =
        tie_hash(seed, static_cast<std::int32_t>(x), static_cast<std::int32_t>(y));
    const auto part = [hash](int bits) {
        return static_cast<std::int8_t>(static_cast<int>((hash >> bits & 0xffff) * 25 >> 16) - 12);
    };
    return {part(0), part(16)};
}

// 2^16 over the length between the points of two neighbours, by its square in 1/1024 cells squared.
// The largest square is 2 (32 + 24)^2 / 1024.
std::vector<std::uint32_t> inverse_lengths() {
    std::vector<std::uint32_t> table(2 * 56 * 56 + 1);
    for (std::size_t squared = 1; squared < table.size(); ++squared) {
        table[squared] = static_cast<std::uint32_t>(
            (std::uint64_t{65536} * 32 * 256) /
            core::integer_sqrt(static_cast<std::uint64_t>(squared) << 16));
    }
    return table;
}

} // namespace

Flow route(core::Run &run, const Heights &heights, const Field2D<std::uint8_t> &outlets,
           std::uint64_t seed) {
    const Extent2 extent = heights.extent();
    const Neighbours neighbours(extent);
    const auto offset = offsets(extent.width);
    Field2D<Point> points(extent);
    run.for_rows(extent.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            points.at(x, y) = point(seed, x, y);
        }
    });
    const auto tie = [&](std::int64_t cell) {
        return tie_hash(seed, static_cast<std::int32_t>(cell % extent.width),
                        static_cast<std::int32_t>(cell / extent.width));
    };
    const std::vector<std::uint32_t> inverse = inverse_lengths();
    Flow flow{Field2D<std::uint8_t>(extent), Field2D<std::uint32_t>(extent), {}};
    run.for_rows(extent.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            const std::int64_t i = y * extent.width + x;
            flow.area[i] = 1;
            flow.step[i] = kNoStep;
            if (outlets[i] != 0) {
                continue;
            }
            std::int64_t steepest = 0;
            neighbours(x, y, [&](std::int64_t n, std::uint8_t s) {
                const std::int64_t drop = std::int64_t{heights[i]} - heights[n];
                if (drop <= 0) {
                    return;
                }
                const int dx = kFlowSteps[s].x * 32 + points[n].x - points[i].x;
                const int dy = kFlowSteps[s].y * 32 + points[n].y - points[i].y;
                const std::int64_t slope =
                    drop * inverse[static_cast<std::size_t>(dx * dx + dy * dy)];
                if (slope > steepest ||
                    (slope == steepest && tie(n) < tie(i + offset[flow.step[i]]))) {
                    steepest = slope;
                    flow.step[i] = s;
                }
            });
        }
    });

    Field2D<std::uint8_t> waiting(extent); // donors that have not come yet
    run.for_rows(extent.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            int donors = 0;
            neighbours(x, y, [&](std::int64_t n, std::uint8_t s) {
                donors += flow.step[n] == (s ^ 4) ? 1 : 0;
            });
            waiting.at(x, y) = static_cast<std::uint8_t>(donors);
        }
    });
    constexpr std::uint8_t kDone = 255;
    flow.order.reserve(static_cast<std::size_t>(heights.size()));
    for (std::int64_t source = 0; source < heights.size(); ++source) {
        // Follow the water while this is the last donor that a cell waits for.
        std::int64_t i = source;
        while (waiting[i] == 0) {
            waiting[i] = kDone;
            flow.order.push_back(static_cast<std::uint32_t>(i));
            const std::uint8_t s = flow.step[i];
            if (s == kNoStep) {
                break;
            }
            const std::int64_t next = i + offset[s];
            flow.area[next] += flow.area[i];
            --waiting[next];
            i = next;
        }
    }
    return flow;
}

void incise(core::Run &run, Heights &heights, const Flow &flow, const StreamPower &power,
            const Field2D<std::uint16_t> *softness, const Field2D<std::uint16_t> *steepness) {
    const Extent2 extent = heights.extent();
    // The share of its height above the cell it drains to that a cell loses: F / (1 + F) with
    // F = K dt sqrt(A) / length, in 16 fraction bits.
    Field2D<std::uint16_t> lost(extent);
    run.for_rows(extent.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            const std::uint64_t area = std::uint64_t{flow.area.at(x, y)} + power.area_offset;
            // floor(256 sqrt(area)): exact, as the argument is below 2^52.
            const auto root =
                static_cast<std::uint64_t>(std::sqrt(static_cast<double>(area << 16)));
            std::uint64_t f = power.rate * root >> 8;
            if ((flow.step.at(x, y) & 1) != 0) {
                f = f * 46341 >> 16; // 1 / sqrt 2
            }
            if (softness != nullptr) {
                f = f * softness->at(x, y) >> 8;
            }
            lost.at(x, y) = static_cast<std::uint16_t>((f << 16) / (f + 65536));
        }
    });
    const auto offset = offsets(extent.width);
    const std::int64_t steep_diagonal = std::int64_t{power.steepest} * 92682 >> 16;
    for (auto cell = flow.order.rbegin(); cell != flow.order.rend(); ++cell) {
        const std::int64_t i = *cell;
        const std::uint8_t s = flow.step[i];
        if (s == kNoStep) {
            continue;
        }
        const std::int64_t below = heights[i + offset[s]];
        const std::int64_t above = heights[i] - below;
        if (above > 0) {
            std::int64_t stays = above * (65536 - lost[i]) >> 16;
            if (power.steepest > 0) {
                std::int64_t most = (s & 1) != 0 ? steep_diagonal : power.steepest;
                if (steepness != nullptr) {
                    most = most * (*steepness)[i] >> 8;
                }
                stays -= std::max<std::int64_t>(0, stays - most) * power.slide >> 16;
            }
            // At least 1 stays, so that the water still runs this way.
            heights[i] = static_cast<std::int32_t>(below + std::max<std::int64_t>(1, stays));
        }
    }
}

void widen(core::Run &run, Heights &heights, const Flow &flow, std::uint32_t least_area,
           std::int32_t rise, std::uint32_t share) {
    const Extent2 extent = heights.extent();
    const Neighbours neighbours(extent);
    Heights next(extent);
    run.for_rows(extent.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            const std::int64_t i = y * extent.width + x;
            std::int64_t bank = heights[i];
            if (flow.area[i] < least_area && flow.step[i] != kNoStep) {
                neighbours(x, y, [&](std::int64_t n, std::uint8_t) {
                    if (flow.area[n] >= least_area) {
                        bank = std::min(bank, std::int64_t{heights[n]} + rise);
                    }
                });
            }
            next[i] = static_cast<std::int32_t>(
                heights[i] - ((heights[i] - bank) * static_cast<std::int64_t>(share) >> 16));
        }
    });
    heights = std::move(next);
}

namespace {

// share (16 fraction bits) of a difference, rounded towards 0, so that what one cell gives is what
// the other takes.
std::int64_t part(std::int64_t difference, std::uint32_t share) {
    return difference * share / 65536;
}

} // namespace

void creep(core::Run &run, Heights &heights, const Creep &rule, const Field2D<std::uint8_t> *fixed,
           const Field2D<std::uint16_t> *steepness) {
    const Extent2 extent = heights.extent();
    const Neighbours neighbours(extent);
    Heights next(extent);
    run.for_rows(extent.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            const std::int64_t i = y * extent.width + x;
            const std::int32_t height = heights[i];
            if (fixed != nullptr && (*fixed)[i] != 0) {
                next[i] = height;
                continue;
            }
            std::int64_t gain = 0;
            neighbours(x, y, [&](std::int64_t n, std::uint8_t s) {
                const bool diagonal = (s & 1) != 0;
                const std::int64_t drop = std::int64_t{heights[n]} - height;
                // A diagonal neighbour is sqrt 2 as far and counts half (the 9-point Laplacian).
                gain += part(drop, diagonal ? rule.diffusion / 2 : rule.diffusion);
                if (rule.talus == 0) {
                    return;
                }
                std::int64_t talus = diagonal ? std::int64_t{rule.talus} * 92682 >> 16 : rule.talus;
                if (steepness != nullptr) {
                    talus = talus * ((*steepness)[i] + (*steepness)[n]) >> 9;
                }
                const std::uint32_t slide = diagonal ? rule.slide / 2 : rule.slide;
                if (drop > talus) {
                    gain += part(drop - talus, slide);
                } else if (drop < -talus) {
                    gain += part(drop + talus, slide);
                }
            });
            next[i] = static_cast<std::int32_t>(height + gain);
        }
    });
    heights = std::move(next);
}

} // namespace karst::shape

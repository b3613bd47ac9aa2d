#include "cpu/packed_agents.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/atomic.hpp"

namespace karst::cpu {

namespace {

constexpr std::int64_t kMostTiles = 1 << 16;

std::vector<Offset> offsets(std::uint32_t length) {
    std::vector<Offset> table;
    table.reserve(core::kDirectionCount);
    for (const core::Direction &direction : core::directions()) {
        table.push_back({static_cast<std::int32_t>(core::scaled(direction.cosine, length)),
                         static_cast<std::int32_t>(core::scaled(direction.sine, length))});
    }
    return table;
}

} // namespace

bool PackedAgents::fits(const rules::PhysarumRule &rule) {
    const std::int32_t shorter = std::min(rule.width, rule.height);
    const std::uint32_t farthest = std::max(rule.sensor_offset, rule.step_size);
    return rule.steering == Steering::strongest &&
           std::max(rule.width, rule.height) <= kLongestSide &&
           farthest <= static_cast<std::uint32_t>(shorter) << core::kLengthBits;
}

PackedAgents::PackedAgents(const rules::PhysarumRule &rule, const PhysarumKernel &kernel,
                           const PhysarumTuning &tuning, sim::PhysarumState &state)
    : rule_(rule), kernel_(kernel), tuning_(tuning), sensor_(offsets(rule.sensor_offset)),
      step_(offsets(rule.step_size)), count_(state.agents.size()) {
    constexpr auto kWhole = static_cast<std::size_t>(kBatch);
    const std::size_t size = (count_ + kWhole - 1) / kWhole * kWhole;
    x_.resize(size);
    y_.resize(size);
    heading_.resize(size);
    for (std::size_t i = 0; i < count_; ++i) {
        const rules::Agent &agent = state.agents[i];
        x_[i] = (agent.x - rule.origin_x) * 65536 + agent.fraction_x;
        y_[i] = (agent.y - rule.origin_y) * 65536 + agent.fraction_y;
        heading_[i] = agent.heading;
    }
    state.agents = {};
    ids_ = std::move(state.ids);
    ids_.resize(size);
}

void PackedAgents::unpack(sim::PhysarumState &state) const {
    state.ids.assign(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(count_));
    state.agents.resize(count_);
    for (std::size_t i = 0; i < count_; ++i) {
        rules::Agent &agent = state.agents[i];
        agent.x = (x_[i] >> 16) + rule_.origin_x;
        agent.y = (y_[i] >> 16) + rule_.origin_y;
        agent.fraction_x = static_cast<std::uint16_t>(x_[i] & 0xffff);
        agent.fraction_y = static_cast<std::uint16_t>(y_[i] & 0xffff);
        agent.heading = heading_[i];
    }
}

// By counting: each of some ranges of agents counts its own in every tile, and then knows where in
// the tile they go.
void PackedAgents::sort(core::Run &run) {
    if (count_ < tuning_.least_sorted) {
        return;
    }
    const auto shift_of = [](std::int32_t side) {
        return core::kLengthBits + std::countr_zero(static_cast<std::uint32_t>(side));
    };
    int shift_x = shift_of(tuning_.tile_width);
    int shift_y = shift_of(tuning_.tile_height);
    const auto tiles = [](std::int32_t side, int shift) {
        return ((side - 1) >> (shift - core::kLengthBits)) + 1;
    };
    while (std::int64_t{tiles(rule_.width, shift_x)} * tiles(rule_.height, shift_y) > kMostTiles) {
        ++shift_x;
        ++shift_y;
    }
    const std::int32_t columns = tiles(rule_.width, shift_x);
    const auto all = static_cast<std::size_t>(columns * tiles(rule_.height, shift_y));
    const auto ranges = static_cast<std::size_t>(run.executor().concurrency());
    const auto tile_of = [&](std::size_t i) {
        return static_cast<std::size_t>((y_[i] >> shift_y) * columns + (x_[i] >> shift_x));
    };
    std::vector<std::size_t> places(ranges * all); // of each range, its tiles
    const auto each_range = [&](auto &&f) {
        run.for_ranges(static_cast<std::int64_t>(ranges), 1,
                       [&](std::int64_t first, std::int64_t last) {
                           for (auto r = static_cast<std::size_t>(first);
                                r < static_cast<std::size_t>(last); ++r) {
                               std::size_t *const own = places.data() + r * all;
                               const std::size_t end = (r + 1) * count_ / ranges;
                               for (std::size_t i = r * count_ / ranges; i < end; ++i) {
                                   f(i, own[tile_of(i)]);
                               }
                           }
                       });
    };
    each_range([](std::size_t, std::size_t &counted) { ++counted; });
    std::size_t place = 0;
    for (std::size_t tile = 0; tile < all; ++tile) {
        for (std::size_t r = 0; r < ranges; ++r) {
            place += std::exchange(places[r * all + tile], place);
        }
    }
    std::vector<std::int32_t> x(x_.size());
    std::vector<std::int32_t> y(y_.size());
    std::vector<std::uint16_t> heading(heading_.size());
    std::vector<std::uint64_t> ids(ids_.size());
    each_range([&](std::size_t i, std::size_t &next) {
        const std::size_t to = next++;
        x[to] = x_[i];
        y[to] = y_[i];
        heading[to] = heading_[i];
        ids[to] = ids_[i];
    });
    x_.swap(x);
    y_.swap(y);
    heading_.swap(heading);
    ids_.swap(ids);
}

void PackedAgents::move_and_deposit(core::Run &run, const std::uint32_t *trail, std::uint32_t step,
                                    Field2D<std::uint32_t> &count) {
    const AgentGround ground{
        trail,           rule_.width,        rule_.height,         rule_.torus,
        rule_.to_larger, rule_.sensor_angle, rule_.rotation_angle, sensor_.data(),
        step_.data()};
    const bool alone = run.executor().concurrency() == 1;
    const auto draw = [&](std::size_t i) {
        return core::draw_of(rule_.seed, ids_[i], step, rule_.agent_use);
    };
    run.for_ranges(static_cast<std::int64_t>(x_.size()) / kBatch, 16,
                   [&](std::int64_t first, std::int64_t last) {
                       AgentBatch batch;
                       for (std::int64_t k = first; k < last; ++k) {
                           const auto begin = static_cast<std::size_t>(k * kBatch);
                           batch.x = x_.data() + begin;
                           batch.y = y_.data() + begin;
                           batch.heading = heading_.data() + begin;
                           const std::size_t size =
                               std::min(count_ - begin, static_cast<std::size_t>(kBatch));
                           kernel_.sense(ground, batch);
                           for (std::size_t i = 0; i < static_cast<std::size_t>(kBatch); ++i) {
                               if (batch.turn[i] == kTurnAtRandom) {
                                   batch.turn[i] = (draw(begin + i).word[0] & 1u) != 0 ? 1 : -1;
                               }
                           }
                           kernel_.move(ground, batch);
                           for (std::size_t i = 0; i < size; ++i) {
                               if (batch.cell[i] >= 0) {
                                   __builtin_prefetch(count.data() + batch.cell[i], 1);
                               }
                           }
                           for (std::size_t i = 0; i < size; ++i) {
                               const std::int32_t cell = batch.cell[i];
                               if (cell < 0) {
                                   batch.heading[i] =
                                       static_cast<std::uint16_t>(draw(begin + i).word[1] >> 16);
                               } else if (alone) {
                                   ++count[cell];
                               } else {
                                   core::atomic_add(count[cell], 1);
                               }
                           }
                       }
                   });
}

} // namespace karst::cpu

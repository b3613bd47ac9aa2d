// The random laws of steering, against the formulas in double.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "support/physarum.hpp"

using namespace karst;
using rules::Turn;
using sim::EngineKind;

namespace {

rules::TrailRule rule_of(Steering steering, double sharpness) {
    PhysarumParams params;
    params.steering = steering;
    params.sharpness = sharpness;
    return sim::quantise(params, {8, 8}, 1);
}

// The share of all 2^32 draws for which `holds`, which is false up to some draw and true from
// there.
double share(const std::function<bool(std::uint32_t)> &holds) {
    std::uint64_t below = 0;
    std::uint64_t above = std::uint64_t{1} << 32;
    while (below < above) {
        const std::uint64_t middle = (below + above) / 2;
        if (holds(static_cast<std::uint32_t>(middle))) {
            above = middle;
        } else {
            below = middle + 1;
        }
    }
    return 1 - std::ldexp(static_cast<double>(below), -32);
}

double sampled_share(double sharpness, std::uint32_t front, std::uint32_t side) {
    const auto rule = rule_of(Steering::sampled, sharpness);
    return share([&](std::uint32_t draw) {
        return rules::sampled_turn(rule, core::power_tables(), front, side, draw);
    });
}

template <std::size_t N>
std::array<double, N> softmax_shares(double sharpness, const std::uint32_t (&readings)[N]) {
    const auto rule = rule_of(Steering::softmax, sharpness);
    std::array<double, N> shares{};
    for (std::size_t i = 0; i < N; ++i) {
        shares[i] = share([&](std::uint32_t draw) {
            return rules::softmax_choice(rule, core::power_tables(), readings, draw) >=
                   static_cast<int>(i);
        });
    }
    for (std::size_t i = 0; i + 1 < N; ++i) {
        shares[i] -= shares[i + 1];
    }
    return shares;
}

} // namespace

TEST_CASE("powers: tables in integers equal the math library to 2^-22, and never fall or rise") {
    const auto &tables = core::power_tables();
    std::uint32_t last = 0;
    for (std::uint64_t value = 1; value < std::uint64_t{1} << 32; value += 1 + value / 777) {
        const auto v = static_cast<std::uint32_t>(value);
        const std::uint32_t got = core::logarithm(tables, v);
        CHECK(std::abs(std::ldexp(got, -26) - std::log2(v)) < std::ldexp(1, -22));
        CHECK(got >= last);
        last = got;
    }
    for (std::uint32_t bit = 0; bit < 32; ++bit) {
        CHECK(core::logarithm(tables, 1u << bit) == bit << 26);
    }
    CHECK(core::logarithm(tables, 0xffffffff) <= 1u << 31);
    last = 1u << 28;
    for (std::uint64_t x = 0; x < std::uint64_t{30} << 26; x += 99991) {
        const std::uint32_t got = core::power_of_half(tables, x);
        const double exact = std::exp2(-std::ldexp(static_cast<double>(x), -26));
        CHECK(std::abs(std::ldexp(got, -28) - exact) < std::ldexp(1, -22));
        CHECK(got <= last);
        last = got;
    }
    CHECK(core::power_of_half(tables, 0) == 1u << 28);
    CHECK(core::power_of_half(tables, std::uint64_t{3} << 26) == 1u << 25);
    CHECK(core::power_of_half(tables, ~std::uint64_t{0}) == 0);
}

TEST_CASE("steering: the sampled law is d1^s / (d0^s + d1^s)") {
    const std::uint32_t readings[] = {1,     2,      77,         65536,      70000,
                                      99999, 654321, 0x7fffffff, 0x80000000, 0xffffffff};
    for (const double s : {0.0, 0.25, 1.0, 3.7, 4.0, 17.0, 64.0}) {
        for (const std::uint32_t d0 : readings) {
            for (const std::uint32_t d1 : readings) {
                const double exact = 1 / (1 + std::pow(static_cast<double>(d0) / d1, s));
                CAPTURE(s);
                CAPTURE(d0);
                CAPTURE(d1);
                // The error of two logarithms, 2^-21, times s, as a share: p (1 - p) ln 2 <= 0.18.
                CHECK(std::abs(sampled_share(s, d0, d1) - exact) < 1e-7 * (s + 1));
            }
        }
    }
}

TEST_CASE("steering: limits of the sampled law") {
    for (const std::uint32_t d : {0u, 1u, 65536u, 0xffffffffu}) {
        CHECK(sampled_share(0, d, 5) == 0.5); // a fair coin, whatever it reads
        CHECK(sampled_share(0, 5, d) == 0.5);
        CHECK(sampled_share(4, d, 0) == 0); // no trail there: never
        CHECK(sampled_share(4, d, d) == (d == 0 ? 0 : 0.5));
    }
    CHECK(sampled_share(4, 0, 1) == 1); // only there: always
    CHECK(sampled_share(64, 1000, 2000) == 1);
    CHECK(sampled_share(64, 2000, 1000) == 0);
}

TEST_CASE("steering: softmax is e^(s d) over its sum, also where a plain exponential overflows") {
    const std::uint32_t cases[][5] = {{65536, 0, 131072, 99999, 65536},
                                      {0, 0, 0, 0, 0},
                                      {0xffffffff, 0xffff0000, 0xfffe0000, 0xffffffff, 0},
                                      {7, 6, 5, 4, 3}};
    for (const auto &readings : cases) {
        for (const double s : {0.0, 0.001, 0.3, 1.0, 20.0, 64.0}) {
            const double most = *std::ranges::max_element(readings);
            double sum = 0;
            for (const std::uint32_t d : readings) {
                sum += std::exp(s * (d - most) / 65536);
            }
            const auto shares = softmax_shares(s, readings);
            for (std::size_t i = 0; i < 5; ++i) {
                const double exact = std::exp(s * (readings[i] - most) / 65536) / sum;
                CAPTURE(s);
                CAPTURE(readings[i]);
                CHECK(std::abs(shares[i] - exact) < 1e-6);
            }
        }
    }
    const auto even = softmax_shares(0, {5, 900000, 0, 1, 0xffffffff}); // all alike
    for (const double share : even) {
        CHECK(share == doctest::Approx(0.2).epsilon(1e-8));
    }
    const auto strongest = softmax_shares(64, {65536, 131072, 65536, 0, 0});
    CHECK(strongest[1] == 1);
}

TEST_CASE("steering: agents turn as often as the law says, left and right alike") {
    PhysarumParams params;
    params.sensor_angle = 45;
    params.rotation_angle = 30;
    params.step_size = 0;
    params.sharpness = 2;
    const int agents = 20000;
    const auto turns = [&](Steering steering, std::uint32_t front, std::uint32_t left,
                           std::uint32_t right) {
        params.steering = steering;
        const auto rule = sim::quantise(params, {64, 64}, 77);
        auto state = test::empty_state(rule);
        state.trail.at(41, 32) = front; // where the sensors of an agent in the middle are
        state.trail.at(38, 25) = left;
        state.trail.at(38, 38) = right;
        std::array<double, 3> counts{};
        for (std::uint64_t id = 0; id < agents; ++id) {
            rules::Agent agent{32, 32, 0, 0, 0};
            rules::move_agent(rule, state.trail.data(), rules::host_tables(), id, 0, agent);
            ++counts[agent.heading == 0 ? 0 : agent.heading > 32768 ? 1 : 2];
        }
        return counts;
    };
    const auto near = [&](double count, double probability) {
        const double mean = agents * probability;
        return std::abs(count - mean) <= 5 * std::sqrt(mean * (1 - probability));
    };
    // 3^2 / (2^2 + 3^2) to the left, 1 / (2^2 + 1) to the right, each chosen half of the time.
    const auto sampled = turns(Steering::sampled, 20000, 30000, 10000);
    CHECK(near(sampled[1], 9.0 / 13 / 2));
    CHECK(near(sampled[2], 1.0 / 5 / 2));
    CHECK(near(sampled[0], 1 - 9.0 / 26 - 1.0 / 10));
    const auto softmax = turns(Steering::softmax, 0, 65536, 32768); // e^0, e^2, e^1
    const double total = 1 + std::exp(2) + std::exp(1);
    CHECK(near(softmax[0], 1 / total));
    CHECK(near(softmax[1], std::exp(2) / total));
    CHECK(near(softmax[2], std::exp(1) / total));
    const auto empty = turns(Steering::sampled, 0, 0, 0);
    CHECK(empty[0] == agents);
}

TEST_CASE("steering: a volume's agents turn as often as the law says") {
    Physarum3Params params;
    params.step_size = 0;
    params.sharpness = 2;
    const int agents = 20000;
    const auto straight = [&](Steering steering, std::uint32_t front, std::uint32_t else_where) {
        params.steering = steering;
        const auto rule = sim::quantise(params, {25, 25, 25}, 7);
        auto state = test::empty_state(rule);
        std::ranges::fill(state.trail.cells(), else_where);
        state.trail.at(21, 12, 12) = front;
        const rules::Frame east{{{1 << 14, 0, 0}}, {{0, 0, 1 << 14}}};
        int count = 0;
        for (std::uint64_t id = 0; id < agents; ++id) {
            rules::Agent3 agent{{12, 12, 12}, {0, 0, 0}, east};
            rules::move_agent(rule, state.trail.data(), rules::host_tables(), id, 0, agent);
            count += agent.frame == east ? 1 : 0;
        }
        return count;
    };
    const auto near = [&](int count, double probability) {
        const double mean = agents * probability;
        return std::abs(count - mean) <= 5 * std::sqrt(mean * (1 - probability));
    };
    CHECK(near(straight(Steering::sampled, 20000, 30000), 4.0 / 13));
    CHECK(near(straight(Steering::softmax, 32768, 0), std::exp(1) / (std::exp(1) + 4)));
    CHECK(straight(Steering::sampled, 0, 0) == agents);
    CHECK(straight(Steering::strongest, 1, 1) == agents);
}

TEST_CASE("steering: every engine agrees under every law, and strongest knows no sharpness") {
    const auto runs = [](auto params, auto extent) {
        params.agent_density = 0.4;
        params.sensor_offset = 3.375;
        params.sharpness = 1.5;
        std::vector<std::uint64_t> digests;
        for (const auto steering : {Steering::strongest, Steering::sampled, Steering::softmax}) {
            params.steering = steering;
            const auto rule = sim::quantise(params, extent, 5);
            const auto start = test::spawn_physarum(params, rule);
            const auto plain = test::run_physarum(start, rule, 33, EngineKind::plain);
            for (const int threads : {1, 2, 7}) {
                CHECK(test::difference(plain, test::run_physarum(start, rule, 33, EngineKind::fast,
                                                                 threads)) == "");
            }
            digests.push_back(sim::agents_digest(plain));
        }
        CHECK(digests[0] != digests[1]);
        CHECK(digests[0] != digests[2]);
        CHECK(digests[1] != digests[2]);
        params.steering = Steering::strongest;
        params.sharpness = 9;
        const auto rule = sim::quantise(params, extent, 5);
        const auto other =
            test::run_physarum(test::spawn_physarum(params, rule), rule, 33, EngineKind::plain);
        CHECK(sim::agents_digest(other) == digests[0]);
    };
    runs(PhysarumParams{}, Extent2{37, 30});
    runs(Physarum3Params{}, Extent3{11, 12, 13});
}

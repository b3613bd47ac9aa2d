// Networks of gates for rules of Life, evaluated gate by gate.
#include <doctest/doctest.h>

#include <string>

#include "core/rng.hpp"
#include "rules/life.hpp"
#include "sim/life_network.hpp"

using namespace karst;
using sim::LifeGate;

namespace {

// What the network makes of bit planes: bit i of `wires` is input i.
bool evaluate(const std::vector<LifeGate> &network, unsigned wires) {
    for (std::size_t i = 0; i < network.size(); ++i) {
        unsigned row = 0;
        for (const std::uint8_t input : network[i].inputs) {
            row = 2 * row + (wires >> input & 1);
        }
        wires |= (network[i].table >> row & 1u) << (5 + i);
    }
    return (wires >> (4 + network.size()) & 1) != 0;
}

// The first of all states of a window for which the network is wrong, or -1.
int first_fault(const std::vector<LifeGate> &network, LifeRule rule) {
    for (unsigned wires = 0; wires < 32; ++wires) {
        const auto bit = [&](unsigned i) { return static_cast<int>(wires >> i & 1); };
        const int neighbours = bit(0) + 2 * (bit(1) + bit(2) + 2 * bit(3)) - bit(4);
        if (neighbours >= 0 && neighbours <= 8 &&
            evaluate(network, wires) != rules::next_cell(bit(4) == 1, neighbours, rule)) {
            return static_cast<int>(wires);
        }
    }
    return -1;
}

// Each gate reads inputs and gates before it.
bool is_in_order(const std::vector<LifeGate> &network) {
    for (std::size_t i = 0; i < network.size(); ++i) {
        for (const std::uint8_t input : network[i].inputs) {
            if (input >= 5 + i) {
                return false;
            }
        }
    }
    return !network.empty();
}

LifeRule rule_of(std::uint64_t number) {
    return {static_cast<std::uint16_t>(number & 511),
            static_cast<std::uint16_t>(number >> 9 & 511)};
}

} // namespace

// Every rule was checked once in this way.
TEST_CASE("life network: rules by their tables, in at most seven gates") {
    std::size_t gates = 0;
    constexpr std::uint64_t kSample = 8192;
    for (std::uint64_t i = 0; i < kSample; ++i) {
        const LifeRule rule = rule_of(core::mix64(i));
        const auto network = sim::make_life_network(rule);
        REQUIRE(is_in_order(network));
        REQUIRE(network.size() <= sim::kMostLifeGates);
        REQUIRE_MESSAGE(first_fault(network, rule) == -1, to_string(rule));
        gates += network.size();
    }
    CHECK(gates > 4 * kSample);
    CHECK(gates < 5 * kSample);
}

TEST_CASE("life network: rules of one count, of all but one, and their complements") {
    for (unsigned bit = 0; bit < 18; ++bit) {
        for (const std::uint64_t flip : {0u, 0x3FFFFu, 511u, 511u << 9}) {
            const LifeRule rule = rule_of((1u << bit) ^ flip);
            CHECK_MESSAGE(first_fault(sim::make_life_network(rule), rule) == -1, to_string(rule));
        }
    }
}

TEST_CASE("life network: how many gates known rules take") {
    const std::pair<const char *, std::size_t> known[] = {
        {"B/S", 1},         {"B012345678/S012345678", 1}, {"B012345678/S", 1},
        {"B1357/S1357", 1}, {"B5678/S45678", 3},          {"B3/S23", 4},
        {"B36/S23", 4},     {"B0167/S0478", 6},           {"B013/S0478", 7}};
    for (const auto &known_rule : known) {
        const LifeRule rule = parse_life_rule(known_rule.first);
        const auto network = sim::make_life_network(rule);
        CHECK_MESSAGE(network.size() == known_rule.second, to_string(rule));
        CHECK(first_fault(network, rule) == -1);
    }
}

TEST_CASE("life network: as source") {
    const std::vector<LifeGate> network = {{0x96, {1, 2, 3}}, {0xE8, {0, 4, 5}}};
    CHECK(sim::source_of(network, "Rule") ==
          "struct Rule {\n"
          "    template <class Sum, class Word>\n"
          "    KARST_HD Word next(const Sum &sum, Word cell) const {\n"
          "        const Word g0 = gate<150>(sum.carry, sum.twos, sum.fours);\n"
          "        const Word g1 = gate<232>(sum.ones, cell, g0);\n"
          "        return g1;\n    }\n};\n");
}

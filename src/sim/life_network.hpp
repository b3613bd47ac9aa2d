// A rule of Life as a short network of gates of three inputs, for engines that compile one.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <karst/simulate.hpp>

namespace karst::sim {

// Wires 0 to 4 are ones, carry, twos and fours of a rules::WindowSum and the cell; wire 5 + i is
// what gate i gives.
struct LifeGate {
    std::uint8_t table; // as rules::gate<table>(a, b, c)
    std::array<std::uint8_t, 3> inputs;
};

inline constexpr std::size_t kMostLifeGates = 7;

// At least one gate and at most kMostLifeGates; the last gives the cell's future. Three quarters of
// all rules take at most 5, one in 23 takes 7.
std::vector<LifeGate> make_life_network(LifeRule rule);

// The network as a class `name` in C++ with the function next() of rules::FixedLifeRule; what
// includes it declares gate<table>(a, b, c).
std::string source_of(const std::vector<LifeGate> &network, const std::string &name);

} // namespace karst::sim

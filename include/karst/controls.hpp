// Painted maps that steer simulations and generators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <karst/field.hpp>

namespace karst {

// The trail of one network of an earlier run.
struct PinnedNetwork {
    std::uint32_t number = 0; // in its generator
    Field2D<std::uint32_t> trail;
};

// All networks of a run, as the document "network" keeps them (docs/controls.md).
struct SavedNetworks {
    std::string generator;
    std::vector<PinnedNetwork> networks;
};

// Each map has any size of 1 to 65536 cells a side, covers the whole ground and is brought to the
// grid of what it steers (docs/controls.md). 0 is black, 65535 white. An empty map is not there.
struct GroundControls {
    Field2D<std::uint16_t> walls; // bright: no agent enters or starts there, there is no trail
    Field2D<std::uint16_t> food;  // white: each step adds food_strength to the trail
    Field2D<std::uint16_t> spawn; // fraction of the agents that start there
    // Not empty: where `grow` is not bright the networks are these, cell for cell, and elsewhere
    // they grow anew and join them.
    std::vector<PinnedNetwork> pinned;
    Field2D<std::uint16_t> grow;
};

// A parameter that changes from place to place, in the parameter's own unit.
struct ParameterMap {
    Field2D<std::uint16_t> map;
    double black = 0; // what 0 means
    double white = 0; // what 65535 means; between them the value is in proportion
};

// In a volume a map is seen from above and holds for all heights.
struct PhysarumControls : GroundControls {
    ParameterMap sensor_angle;
    ParameterMap rotation_angle;
    ParameterMap sensor_offset;
    ParameterMap step_size;
    ParameterMap deposit;
    ParameterMap retain;
};

} // namespace karst

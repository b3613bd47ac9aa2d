// The maps that steer a Physarum simulation, on its grid and quantised.
#pragma once

#include <cstdint>

#include <karst/controls.hpp>
#include <karst/field.hpp>
#include <karst/simulate.hpp>

#include "core/resample.hpp"
#include "core/run.hpp"
#include "rules/controls.hpp"

namespace karst::sim {

// The parameters that have maps. By a name of its type, since what nvcc makes of a pointer to a
// member is a warning.
using MapOfControls = ParameterMap PhysarumControls::*;
struct MapParameter {
    const char *name;
    MapOfControls map;
};
inline constexpr MapParameter kMapParameters[] = {
    {"sensor_angle", &PhysarumControls::sensor_angle},
    {"rotation_angle", &PhysarumControls::rotation_angle},
    {"sensor_offset", &PhysarumControls::sensor_offset},
    {"step_size", &PhysarumControls::step_size},
    {"deposit", &PhysarumControls::deposit},
    {"retain", &PhysarumControls::retain}};

// The fields of rules::Controls and what only the spawn reads. An empty field is not there.
template <class Extent>
struct BasicControlFields {
    Field<std::uint8_t, Extent> walls; // 0, rules::kWall or rules::kPinned
    Field<std::int32_t, Extent> food;
    Field<std::uint16_t, Extent> spawn; // 65535: as many agents as without the map
    Field<std::uint16_t, Extent> sensor_angle;
    Field<std::uint16_t, Extent> rotation_angle;
    Field<std::uint32_t, Extent> sensor_offset;
    Field<std::uint32_t, Extent> step_size;
    Field<std::uint32_t, Extent> deposit;
    Field<std::uint32_t, Extent> retain_share;
    Field<std::uint32_t, Extent> start; // the trail at first; empty: 0 everywhere
};
using ControlFields = BasicControlFields<Extent2>;
using Control3Fields = BasicControlFields<Extent3>;

// What an engine on the host reads; nothing for null.
template <class Extent>
rules::Controls view(const BasicControlFields<Extent> *fields) {
    const auto pointer = [](const auto &field) { return field.empty() ? nullptr : field.data(); };
    rules::Controls controls;
    if (fields != nullptr) {
        controls.walls = pointer(fields->walls);
        controls.food = pointer(fields->food);
        controls.sensor_angle = pointer(fields->sensor_angle);
        controls.rotation_angle = pointer(fields->rotation_angle);
        controls.sensor_offset = pointer(fields->sensor_offset);
        controls.step_size = pointer(fields->step_size);
        controls.deposit = pointer(fields->deposit);
        controls.retain_share = pointer(fields->retain_share);
    }
    return controls;
}

// Throws Error(invalid_argument) for a map's side outside 1 to 65536 and for a black or white value
// outside the parameter's range. `placement` says how the grid lies under the maps.
ControlFields control_fields(core::Run &run, const PhysarumControls &controls,
                             const PhysarumParams &params, const core::Placement2 &placement);
// For every height the same.
Control3Fields control_fields(core::Run &run, const PhysarumControls &controls,
                              const Physarum3Params &params, const core::Placement2 &placement,
                              std::int64_t depth);
ControlFields control_fields(core::Run &run, const GroundControls &controls,
                             const PhysarumParams &params, const core::Placement2 &placement);
Control3Fields control_fields(core::Run &run, const GroundControls &controls,
                              const Physarum3Params &params, const core::Placement2 &placement,
                              std::int64_t depth);
// On a grid that covers the maps' ground exactly.
ControlFields control_fields(core::Run &run, const PhysarumControls &controls,
                             const PhysarumParams &params, Extent2 extent);
Control3Fields control_fields(core::Run &run, const PhysarumControls &controls,
                              const Physarum3Params &params, Extent3 extent);

// Pins what lies outside of `controls.grow` to network `number`; nothing if none is pinned. Throws
// Error(invalid_argument) for a network that is not there or of another size.
void pin(core::Run &run, const GroundControls &controls, std::uint32_t number,
         const core::Placement2 &placement, ControlFields &fields);

// The pinned trail of network `number`; null if none is pinned. What is measured over a whole map
// (a quantile, a range) is measured there, so that an edit in one place moves it nowhere.
const Field2D<std::uint32_t> *pinned_trail(const GroundControls &controls, std::uint32_t number);

// Throws Error(invalid_argument) for pinned networks without `grow` or the other way round.
void require_whole_pin(const GroundControls &controls);
// Throws Error(invalid_argument) for a pin where none can be honoured; `what` names the place.
void require_no_pin(const GroundControls &controls, const char *what);

// Whether there is a map.
bool any(const GroundControls &controls);

// Bytes of the fields that the maps become, and of those in which a pinned trail is measured.
std::uint64_t memory_needed(const GroundControls &controls, std::int64_t cells);
std::uint64_t memory_needed(const PhysarumControls &controls, std::int64_t cells);

} // namespace karst::sim

#include "sim/controls.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <karst/error.hpp>

#include "core/fixed.hpp"
#include "sim/physarum.hpp"

namespace karst::sim {

namespace {

// One value of a parameter at each grey, from those of black and white, the nearest.
template <class T>
class Scale {
public:
    Scale(std::int64_t black, std::int64_t white) : black_(black), white_(white) {}
    T operator()(std::uint16_t grey) const {
        const std::int64_t sum = black_ * (65535 - grey) + white_ * grey;
        return static_cast<T>((sum + (sum < 0 ? -32767 : 32767)) / 65535);
    }

private:
    std::int64_t black_, white_;
};

template <class Extent>
class Maker {
public:
    Maker(core::Run &run, const core::Placement2 &placement, Extent extent)
        : run_(run), placement_(placement), extent_(extent) {}

    Field<std::uint8_t, Extent> mask(const Field2D<std::uint16_t> &map) const {
        return map.empty() ? Field<std::uint8_t, Extent>{}
                           : raised(core::resample_mask(run_, map, placement_),
                                    [](std::uint8_t value) { return value; });
    }

    template <class T>
    Field<T, Extent> values(const Field2D<std::uint16_t> &map, const Scale<T> &scale) const {
        return map.empty() ? Field<T, Extent>{}
                           : raised(core::resample(run_, map, placement_), scale);
    }

private:
    // The same at every height of a volume.
    template <class Plane, class F>
    auto raised(const Plane &plane, F &&f) const {
        Field<decltype(f(plane[0])), Extent> field(extent_, run_.memory());
        for (std::int64_t i = 0; i < field.size(); ++i) {
            field[i] = f(plane[i % plane.size()]);
        }
        return field;
    }

    core::Run &run_;
    const core::Placement2 &placement_;
    Extent extent_;
};

void check(const PhysarumControls &controls, std::span<const ParamInfo> infos) {
    ParamSet values(infos);
    for (const MapParameter &parameter : kMapParameters) {
        const ParameterMap &map = controls.*parameter.map;
        if (!map.map.empty()) {
            values.set(parameter.name, map.black);
            values.set(parameter.name, map.white);
        }
    }
}

template <class Params, class Extent>
BasicControlFields<Extent> ground_fields(const Maker<Extent> &maker, const GroundControls &controls,
                                         const Params &params) {
    const auto food = static_cast<std::int64_t>(core::to_fixed(std::abs(params.food_strength), 16));
    BasicControlFields<Extent> fields;
    fields.walls = maker.mask(controls.walls);
    fields.food = maker.values(controls.food,
                               Scale<std::int32_t>(0, params.food_strength < 0 ? -food : food));
    fields.spawn = maker.values(controls.spawn, Scale<std::uint16_t>(0, 65535));
    return fields;
}

template <class Params, class Extent>
BasicControlFields<Extent> all_fields(core::Run &run, const PhysarumControls &controls,
                                      const Params &params, const core::Placement2 &placement,
                                      Extent extent, std::span<const ParamInfo> infos) {
    check(controls, infos);
    const Maker<Extent> maker(run, placement, extent);
    BasicControlFields<Extent> fields = ground_fields(maker, controls, params);
    const auto angles = [&](const ParameterMap &p) {
        return maker.values(p.map,
                            Scale<std::uint16_t>(core::to_angle(p.black), core::to_angle(p.white)));
    };
    const auto numbers = [&](const ParameterMap &p) { // 16 fraction bits
        return maker.values(
            p.map, Scale<std::uint32_t>(core::to_fixed(p.black, 16), core::to_fixed(p.white, 16)));
    };
    fields.sensor_angle = angles(controls.sensor_angle);
    fields.rotation_angle = angles(controls.rotation_angle);
    fields.sensor_offset = numbers(controls.sensor_offset);
    fields.step_size = numbers(controls.step_size);
    fields.deposit = numbers(controls.deposit);
    fields.retain_share = maker.values(
        controls.retain.map, Scale<std::uint32_t>(retain_share<Extent>(controls.retain.black),
                                                  retain_share<Extent>(controls.retain.white)));
    return fields;
}

} // namespace

ControlFields control_fields(core::Run &run, const PhysarumControls &controls,
                             const PhysarumParams &params, const core::Placement2 &placement) {
    return all_fields(run, controls, params, placement,
                      Extent2{placement.x.cells, placement.y.cells}, physarum_table().infos());
}

Control3Fields control_fields(core::Run &run, const PhysarumControls &controls,
                              const Physarum3Params &params, const core::Placement2 &placement,
                              std::int64_t depth) {
    return all_fields(run, controls, params, placement,
                      Extent3{placement.x.cells, placement.y.cells, depth},
                      physarum3_table().infos());
}

ControlFields control_fields(core::Run &run, const GroundControls &controls,
                             const PhysarumParams &params, const core::Placement2 &placement) {
    const Extent2 extent{placement.x.cells, placement.y.cells};
    return ground_fields(Maker(run, placement, extent), controls, params);
}

Control3Fields control_fields(core::Run &run, const GroundControls &controls,
                              const Physarum3Params &params, const core::Placement2 &placement,
                              std::int64_t depth) {
    const Extent3 extent{placement.x.cells, placement.y.cells, depth};
    return ground_fields(Maker(run, placement, extent), controls, params);
}

ControlFields control_fields(core::Run &run, const PhysarumControls &controls,
                             const PhysarumParams &params, Extent2 extent) {
    return control_fields(run, controls, params,
                          {core::over_all(extent.width), core::over_all(extent.height),
                           params.boundary == Boundary::torus});
}

Control3Fields control_fields(core::Run &run, const PhysarumControls &controls,
                              const Physarum3Params &params, Extent3 extent) {
    return control_fields(run, controls, params,
                          {core::over_all(extent.width), core::over_all(extent.height),
                           params.boundary == Boundary::torus},
                          extent.depth);
}

const Field2D<std::uint32_t> *pinned_trail(const GroundControls &controls, std::uint32_t number) {
    const auto found = std::find_if(controls.pinned.begin(), controls.pinned.end(),
                                    [&](const PinnedNetwork &its) { return its.number == number; });
    return found == controls.pinned.end() ? nullptr : &found->trail;
}

void require_whole_pin(const GroundControls &controls) {
    if (controls.pinned.empty() != controls.grow.empty()) {
        throw Error(ErrorCode::invalid_argument,
                    std::string(controls.grow.empty() ? "pin without grow" : "grow without pin") +
                        "; allowed is both or none of them");
    }
}

void require_no_pin(const GroundControls &controls, const char *what) {
    if (!controls.pinned.empty() || !controls.grow.empty()) {
        throw Error(ErrorCode::invalid_argument,
                    std::string(what) + " takes no pin; allowed are empty pinned and grow");
    }
}

void pin(core::Run &run, const GroundControls &controls, std::uint32_t number,
         const core::Placement2 &placement, ControlFields &fields) {
    if (controls.pinned.empty()) {
        return;
    }
    const Field2D<std::uint32_t> *const trail = pinned_trail(controls, number);
    const Extent2 extent{placement.x.cells, placement.y.cells};
    if (trail == nullptr || trail->extent() != extent) {
        const auto size = [](Extent2 e) {
            return std::to_string(e.width) + "x" + std::to_string(e.height);
        };
        throw Error(
            ErrorCode::invalid_argument,
            "pin: network " + std::to_string(number) +
                (trail == nullptr ? " is missing" : " is " + size(trail->extent()) + " cells") +
                "; allowed is a network of " + size(extent) +
                " cells, as a run of this size, cell and spacing makes it");
    }
    const Field2D<std::uint8_t> grow = core::resample_mask(run, controls.grow, placement);
    if (fields.walls.empty()) {
        fields.walls = Field2D<std::uint8_t>(extent, run.memory());
    }
    fields.start = Field2D<std::uint32_t>(extent, run.memory());
    for (std::int64_t i = 0; i < grow.size(); ++i) {
        if (grow[i] == 0) {
            fields.walls[i] = rules::kPinned;
            fields.start[i] = (*trail)[i];
        }
    }
}

bool any(const GroundControls &controls) {
    return !controls.pinned.empty() || !controls.walls.empty() || !controls.food.empty() ||
           !controls.spawn.empty();
}

namespace {

// Twice, for the map on the grid from which a field is made.
std::uint64_t twice(const Field2D<std::uint16_t> &map, std::int64_t bytes) {
    return map.empty() ? 0 : 2 * static_cast<std::uint64_t>(bytes);
}

} // namespace

std::uint64_t memory_needed(const GroundControls &controls, std::int64_t cells) {
    std::uint64_t bytes = twice(controls.walls, cells) + twice(controls.food, 4 * cells) +
                          twice(controls.spawn, 2 * cells);
    if (!controls.pinned.empty()) {
        // Walls and the trail at first; two fields more for what is measured in the pinned trail.
        bytes += twice(controls.grow, cells) + static_cast<std::uint64_t>(cells) * (1 + 4 + 8);
    }
    return bytes;
}

std::uint64_t memory_needed(const PhysarumControls &controls, std::int64_t cells) {
    std::uint64_t bytes = memory_needed(static_cast<const GroundControls &>(controls), cells);
    for (const MapParameter &parameter : kMapParameters) {
        bytes += twice((controls.*parameter.map).map, 4 * cells);
    }
    return bytes;
}

} // namespace karst::sim

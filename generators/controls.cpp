#include "generators/controls.hpp"

#include <karst/error.hpp>

namespace karst {

namespace {

struct Ground {
    const char *name;
    Field2D<std::uint16_t> GroundControls::*map;
};
constexpr Ground kGround[] = {{"walls", &GroundControls::walls},
                              {"food", &GroundControls::food},
                              {"spawn", &GroundControls::spawn}};

struct Parameter {
    const char *name;
    ParameterMap PhysarumControls::*map;
};
constexpr Parameter kParameters[] = {{"sensor_angle", &PhysarumControls::sensor_angle},
                                     {"rotation_angle", &PhysarumControls::rotation_angle},
                                     {"sensor_offset", &PhysarumControls::sensor_offset},
                                     {"step_size", &PhysarumControls::step_size},
                                     {"deposit", &PhysarumControls::deposit},
                                     {"retain", &PhysarumControls::retain}};

[[noreturn]] void refuse(const std::string &name, std::string_view generator,
                         const std::vector<std::string> &allowed) {
    std::string names;
    for (const std::string &other : allowed) {
        names += (names.empty() ? "" : ", ") + other;
    }
    throw Error(ErrorCode::invalid_argument, std::string(generator) + " takes no map '" + name +
                                                 "'; allowed is one of " + names);
}

void take(const ControlMap &from, Field2D<std::uint16_t> &to) {
    if (from.map.empty()) {
        throw Error(ErrorCode::invalid_argument,
                    "the map '" + from.name + "' has no cells; allowed is at least 1 x 1");
    }
    if (!to.empty()) {
        throw Error(ErrorCode::invalid_argument,
                    "the map '" + from.name + "' is given twice; allowed is once");
    }
    to = from.map;
}

bool take_ground(const ControlMap &from, GroundControls &controls) {
    for (const Ground &ground : kGround) {
        if (from.name == ground.name) {
            take(from, controls.*ground.map);
            return true;
        }
    }
    return false;
}

bool take_parameter(const ControlMap &from, PhysarumControls &controls) {
    for (const Parameter &parameter : kParameters) {
        if (from.name == parameter.name) {
            ParameterMap &to = controls.*parameter.map;
            take(from, to.map);
            to.black = from.black;
            to.white = from.white;
            return true;
        }
    }
    return false;
}

} // namespace

std::vector<std::string> ground_control_names() {
    std::vector<std::string> names;
    for (const Ground &ground : kGround) {
        names.emplace_back(ground.name);
    }
    return names;
}

std::vector<std::string> physarum_control_names() {
    std::vector<std::string> names = ground_control_names();
    for (const Parameter &parameter : kParameters) {
        names.emplace_back(parameter.name);
    }
    return names;
}

GroundControls ground_controls(const Job &job, std::string_view generator) {
    GroundControls controls;
    for (const ControlMap &map : job.controls) {
        if (!take_ground(map, controls)) {
            refuse(map.name, generator, ground_control_names());
        }
    }
    return controls;
}

PhysarumControls physarum_controls(const Job &job, std::string_view generator) {
    PhysarumControls controls;
    for (const ControlMap &map : job.controls) {
        if (!take_ground(map, controls) && !take_parameter(map, controls)) {
            refuse(map.name, generator, physarum_control_names());
        }
    }
    return controls;
}

} // namespace karst

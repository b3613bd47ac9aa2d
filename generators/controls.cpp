#include "generators/controls.hpp"

#include <span>
#include <utility>

#include <karst/config.hpp>
#include <karst/error.hpp>

#include "core/base64.hpp"
#include "core/joined.hpp"
#include "core/limits.hpp"
#include "sim/controls.hpp"

namespace karst {

namespace {

struct GroundRow {
    const char *name;
    Field2D<std::uint16_t> GroundControls::*map;
};
constexpr GroundRow kGround[] = {{"walls", &GroundControls::walls},
                                 {"food", &GroundControls::food},
                                 {"spawn", &GroundControls::spawn},
                                 {"grow", &GroundControls::grow}}; // with a pin

[[noreturn]] void refuse(const std::string &name, std::string_view generator,
                         const std::vector<std::string> &allowed) {
    throw Error(ErrorCode::invalid_argument, std::string(generator) + " takes no map '" + name +
                                                 "'; allowed is one of " + core::joined(allowed));
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

std::span<const GroundRow> ground_rows(Pins pins) {
    return std::span(kGround).first(pins == Pins::yes ? 4 : 3);
}

bool take_ground(const ControlMap &from, Pins pins, GroundControls &controls) {
    for (const GroundRow &ground : ground_rows(pins)) {
        if (from.name == ground.name) {
            take(from, controls.*ground.map);
            return true;
        }
    }
    return false;
}

void refuse_pin(const Job &job, std::string_view generator, Pins pins) {
    if (job.pin && pins == Pins::no) {
        throw Error(ErrorCode::invalid_argument,
                    std::string(generator) + " takes no pin; allowed are crack, cave, heightmap");
    }
    if (job.pin && job.pin->generator != generator) {
        throw Error(ErrorCode::invalid_argument, "pin is a network of '" + job.pin->generator +
                                                     "'; allowed is one of " +
                                                     std::string(generator));
    }
}

bool take_parameter(const ControlMap &from, PhysarumControls &controls) {
    for (const sim::MapParameter &parameter : sim::kMapParameters) {
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

std::vector<std::string> ground_control_names(Pins pins) {
    std::vector<std::string> names;
    for (const GroundRow &ground : ground_rows(pins)) {
        names.emplace_back(ground.name);
    }
    return names;
}

std::vector<std::string> physarum_control_names() {
    std::vector<std::string> names = ground_control_names(Pins::no);
    for (const sim::MapParameter &parameter : sim::kMapParameters) {
        names.emplace_back(parameter.name);
    }
    return names;
}

GroundControls ground_controls(const Job &job, std::string_view generator, Pins pins) {
    refuse_pin(job, generator, pins);
    GroundControls controls;
    for (const ControlMap &map : job.controls) {
        if (!take_ground(map, pins, controls)) {
            refuse(map.name, generator, ground_control_names(pins));
        }
    }
    if (job.pin) {
        controls.pinned = job.pin->networks;
    }
    sim::require_whole_pin(controls);
    return controls;
}

NetworkLayer::NetworkLayer(const Job &job, const Options &options, std::span<const Extent2> grids)
    : options_(options) {
    options_.networks = asks_for(job, kNetworkInfo.name) ? &networks_ : nullptr;
    if (options_.networks == nullptr) {
        return;
    }
    constexpr std::uint64_t kWords = 128; // more than stands around a trail and around them all
    std::uint64_t bytes = kWords;
    for (const Extent2 grid : grids) {
        bytes += kWords + core::base64_size(4 * static_cast<std::uint64_t>(grid.cells()));
    }
    if (bytes > core::kLargestJson) {
        throw Error(ErrorCode::unsupported, "the document network is " +
                                                std::to_string(bytes >> 20) + " MiB; allowed are " +
                                                std::to_string(core::kLargestJson >> 20) + " MiB");
    }
}

void NetworkLayer::add_to(Artifact &artifact) const {
    if (options_.networks == nullptr) {
        return;
    }
    std::string text = "{\n  \"karst_network\": 1,\n  \"generator\": \"" + artifact.generator +
                       "\",\n  \"algorithm_version\": " + std::to_string(KARST_ALGORITHM_VERSION) +
                       ",\n  \"networks\": [";
    for (const PinnedNetwork &network : networks_) {
        text += text.back() == '[' ? "\n" : ",\n";
        text += "    {\"number\": " + std::to_string(network.number) + ", \"size\": [" +
                std::to_string(network.trail.width()) + ", " +
                std::to_string(network.trail.height()) + "], \"trail\": \"";
        core::append_base64(network.trail.cells(), text);
        text += "\"}";
    }
    text += "\n  ]\n}\n";
    artifact.documents.push_back({kNetworkInfo.name, std::move(text)});
}

PhysarumControls physarum_controls(const Job &job, std::string_view generator) {
    refuse_pin(job, generator, Pins::no);
    PhysarumControls controls;
    for (const ControlMap &map : job.controls) {
        if (!take_ground(map, Pins::no, controls) && !take_parameter(map, controls)) {
            refuse(map.name, generator, physarum_control_names());
        }
    }
    return controls;
}

} // namespace karst

#include "generators/controls.hpp"

#include <span>
#include <utility>

#include <karst/config.hpp>
#include <karst/error.hpp>

#include "core/joined.hpp"
#include "sim/controls.hpp"

namespace karst {

namespace {

struct Ground {
    const char *name;
    Field2D<std::uint16_t> GroundControls::*map;
};
constexpr Ground kGround[] = {{"walls", &GroundControls::walls},
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

std::span<const Ground> ground_rows(Pins pins) {
    return std::span(kGround).first(pins == Pins::yes ? 4 : 3);
}

bool take_ground(const ControlMap &from, Pins pins, GroundControls &controls) {
    for (const Ground &ground : ground_rows(pins)) {
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

// RFC 4648, of the values in little-endian bytes.
void append_base64(const Field2D<std::uint32_t> &values, std::string &text) {
    constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::int64_t bytes = values.size() * 4;
    const auto byte = [&](std::int64_t i) {
        return i < bytes ? (values[i / 4] >> (8 * (i % 4))) & 255u : 0u;
    };
    text.reserve(text.size() + static_cast<std::size_t>(bytes / 3 * 4 + 4));
    for (std::int64_t i = 0; i < bytes; i += 3) {
        const std::uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
        for (int digit = 0; digit < 4; ++digit) {
            text += i + digit > bytes ? '=' : kDigits[(three >> (18 - 6 * digit)) & 63u];
        }
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
    for (const Ground &ground : ground_rows(pins)) {
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
    if (job.pin.has_value() == controls.grow.empty()) {
        throw Error(ErrorCode::invalid_argument,
                    std::string(job.pin ? "pin without grow" : "grow without pin") +
                        "; allowed is both or none of them");
    }
    if (job.pin) {
        controls.pinned = job.pin->networks;
    }
    return controls;
}

Document network_document(std::string_view generator, const std::vector<PinnedNetwork> &networks) {
    std::string text = "{\n  \"karst_network\": 1,\n  \"generator\": \"" + std::string(generator) +
                       "\",\n  \"algorithm_version\": " + std::to_string(KARST_ALGORITHM_VERSION) +
                       ",\n  \"networks\": [";
    for (const PinnedNetwork &network : networks) {
        text += text.back() == '[' ? "\n" : ",\n";
        text += "    {\"number\": " + std::to_string(network.number) + ", \"size\": [" +
                std::to_string(network.trail.width()) + ", " +
                std::to_string(network.trail.height()) + "], \"trail\": \"";
        append_base64(network.trail, text);
        text += "\"}";
    }
    text += "\n  ]\n}\n";
    constexpr std::size_t kMost = std::size_t{16} << 20;
    if (text.size() > kMost) {
        throw Error(ErrorCode::unsupported, "the document network is " +
                                                std::to_string(text.size() >> 20) +
                                                " MiB; allowed are 16 MiB");
    }
    return {"network", std::move(text)};
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

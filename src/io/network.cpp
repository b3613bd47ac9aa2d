#include "io/network.hpp"

#include <cstdint>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>

#include "core/base64.hpp"
#include "io/json_file.hpp"

namespace karst::io {

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse_network(const std::string &path, const std::string &what) {
    throw Error(ErrorCode::invalid_input,
                path + ": " + what + "; allowed is the layer network of karst");
}

// What messages may repeat.
bool is_name(const std::string &text) {
    return text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_ ") == std::string::npos;
}

std::int64_t side(const std::string &path, const Json &size, std::size_t axis) {
    const Json &value = size[axis];
    if (!value.is_number_integer() || value < 1 || value > 65536) {
        refuse_network(path, "a side of a network is " + value.dump().substr(0, 40));
    }
    return value.get<std::int64_t>();
}

PinnedNetwork network_of(const std::string &path, const Json &entry) {
    const auto has = [&](const char *key) { return entry.is_object() && entry.contains(key); };
    // JSON's own comparison with an int takes 2^63 for a negative number.
    if (!has("number") || !entry["number"].is_number_unsigned() ||
        entry["number"].get<std::uint64_t>() > 15 || !has("size") || !entry["size"].is_array() ||
        entry["size"].size() != 2 || !has("trail") || !entry["trail"].is_string()) {
        refuse_network(path, "a network has not number, size and trail");
    }
    const Extent2 extent{side(path, entry["size"], 0), side(path, entry["size"], 1)};
    const auto &text = entry["trail"].get_ref<const std::string &>();
    const std::uint64_t bytes = static_cast<std::uint64_t>(extent.cells()) * 4;
    if (text.size() != core::base64_size(bytes)) { // before the memory is taken
        refuse_network(path, "a trail of " + std::to_string(extent.width) + "x" +
                                 std::to_string(extent.height) + " cells has " +
                                 std::to_string(text.size()) + " characters");
    }
    PinnedNetwork network{entry["number"].get<std::uint32_t>(), Field2D<std::uint32_t>(extent)};
    if (!core::read_base64(text, network.trail.cells())) {
        refuse_network(path, "a trail is no base64");
    }
    return network;
}

} // namespace

SavedNetworks parse_networks(const std::string &text, const std::string &path) {
    const Json json = parse_json(text, path);
    if (!json.is_object() || !json.contains("karst_network") || json["karst_network"] != 1 ||
        !json.contains("generator") || !json["generator"].is_string() ||
        !is_name(json["generator"].get<std::string>()) || !json.contains("networks") ||
        !json["networks"].is_array() || json["networks"].empty() || json["networks"].size() > 16) {
        refuse_network(path, "it has not karst_network 1, generator and networks");
    }
    SavedNetworks saved{json["generator"].get<std::string>(), {}};
    for (const Json &entry : json["networks"]) {
        saved.networks.push_back(network_of(path, entry));
    }
    return saved;
}

} // namespace karst::io

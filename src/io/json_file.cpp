#include "io/json_file.hpp"

#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>
#include <karst/params.hpp>

#include "io/file.hpp"

namespace karst::io {

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse_json(const std::string &name, const std::string &why) {
    throw Error(ErrorCode::invalid_input, name + ": " + why);
}

// What the library says without its own prefix "[json.exception...] ".
std::string reason(const Json::exception &error) {
    std::string text = error.what();
    const auto end = text.find("] ");
    return end == std::string::npos ? text : text.substr(end + 2);
}

} // namespace

Json parse_json(const std::string &text, const std::string &name) {
    std::vector<std::set<std::string>> keys; // of the objects that are open
    const auto watch = [&](int depth, Json::parse_event_t event, Json &parsed) {
        using Event = Json::parse_event_t;
        if ((event == Event::object_start || event == Event::array_start) &&
            depth >= kDeepestJson) {
            refuse_json(name, "more than " + std::to_string(kDeepestJson) +
                                  " arrays and objects in one another; allowed are so many");
        }
        if (event == Event::object_start) {
            keys.emplace_back();
        } else if (event == Event::object_end) {
            keys.pop_back();
        } else if (event == Event::key && !keys.back().insert(parsed.get<std::string>()).second) {
            refuse_json(name, "the key '" + parsed.get<std::string>() +
                                  "' comes twice in one object; allowed is once");
        }
        return true;
    };
    try {
        return Json::parse(text, watch, true, true);
    } catch (const Json::exception &error) {
        refuse_json(name, reason(error));
    }
}

Json read_json(const std::string &path) {
    return parse_json(read_file(path, kLargestJson), path);
}

std::optional<std::string> typed_text(const Json &value) {
    if (value.is_string()) {
        return value.get<std::string>();
    }
    if (value.is_number_float()) {
        return to_string(ParamValue(value.get<double>()));
    }
    if (value.is_number() || value.is_boolean()) {
        return value.dump();
    }
    return std::nullopt;
}

} // namespace karst::io

#include "io/json_read.hpp"

#include <nlohmann/json.hpp>

#include <karst/error.hpp>

namespace karst::io {

nlohmann::json parse_json(std::string_view text, const std::string &name) {
    using Json = nlohmann::json;
    constexpr int kDeepest = 32;
    const auto bounded = [&name](int depth, Json::parse_event_t, const Json &) {
        if (depth > kDeepest) {
            throw Error(ErrorCode::invalid_input, name + ": the JSON is nested deeper than " +
                                                      std::to_string(kDeepest) +
                                                      ", the most that is read");
        }
        return true;
    };
    try {
        return Json::parse(text, bounded);
    } catch (const Json::exception &error) {
        throw Error(ErrorCode::invalid_input, name + ": " + error.what());
    }
}

} // namespace karst::io

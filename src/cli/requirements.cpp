#include "cli/requirements.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <karst/error.hpp>
#include <karst/params.hpp>

#include "core/joined.hpp"

namespace karst::cli {

namespace {

bool is_met(double measured, const std::string &relation, double value) {
    if (relation == "=") {
        return measured == value;
    }
    if (relation == ">=") {
        return measured >= value;
    }
    if (relation == "<=") {
        return measured <= value;
    }
    return relation == ">" ? measured > value : measured < value;
}

// A shell splits at spaces, so that "open_share" is easier to type than "open share".
std::string spaced(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

double measured(const Artifact &artifact, const Requirement &requirement) {
    for (const auto &[name, value] : artifact.measures) {
        if (spaced(name) == spaced(requirement.measure)) {
            return value;
        }
    }
    const std::string list =
        core::joined(artifact.measures, [](const auto &measure) { return measure.first; });
    throw Error(ErrorCode::invalid_argument,
                "--require " + requirement.text + ": there is no measure '" + requirement.measure +
                    "'; " + artifact.generator + " has " + (list.empty() ? "none" : list));
}

} // namespace

Requirement parse_requirement(std::string_view text) {
    Requirement requirement;
    requirement.text = text;
    const auto at = text.find_first_of("<>=");
    if (at != std::string_view::npos && at > 0) {
        const bool two = text[at] != '=' && at + 1 < text.size() && text[at + 1] == '=';
        requirement.measure = text.substr(0, at);
        requirement.relation = text.substr(at, two ? 2 : 1);
        const char *const start = text.data() + at + requirement.relation.size();
        const char *const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(start, end, requirement.value);
        if (error == std::errc() && stop == end && std::isfinite(requirement.value)) {
            return requirement;
        }
    }
    throw Error(ErrorCode::invalid_argument,
                "require is '" + requirement.text +
                    "'; allowed is NAME=VALUE, NAME>=VALUE, NAME<=VALUE, NAME>VALUE or NAME<VALUE");
}

void check_requirements(std::span<const Requirement> requirements, const Artifact &artifact) {
    std::string failures;
    for (const auto &requirement : requirements) {
        const double value = measured(artifact, requirement);
        if (!is_met(value, requirement.relation, requirement.value)) {
            failures += (failures.empty() ? "" : ", ") + requirement.text + " (measured " +
                        to_string(ParamValue(value)) + ")";
        }
    }
    if (!failures.empty()) {
        throw Error(ErrorCode::requirement_failed, "not met: " + failures);
    }
}

} // namespace karst::cli

// --require: what a result must measure, or nothing is written.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <karst/artifact.hpp>

namespace karst::cli {

struct Requirement {
    std::string text;    // as typed, for messages
    std::string measure; // a name in Artifact::measures; "_" there stands for a space too
    std::string relation;
    double value = 0;
};

// "components=1", "open share>=0.3": NAME, one of = >= <= > <, a number. Throws
// Error(invalid_argument).
Requirement parse_requirement(std::string_view text);

// Throws Error(invalid_argument) for a measure that the artifact has not, which lists those there
// are, and Error(requirement_failed) with the measured value of each requirement that is not met.
void check_requirements(std::span<const Requirement> requirements, const Artifact &artifact);

} // namespace karst::cli

// Parameters by name: one description feeds the command line, recipes, validation and the docs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <karst/config.hpp>

namespace karst {

enum class ParamType { boolean, integer, real, choice, text };

// A choice and a text are strings.
using ParamValue = std::variant<bool, std::int64_t, double, std::string>;

struct ParamInfo {
    std::string name;
    std::string unit; // "m", "degrees", "fraction", "cells", "steps"; empty: none
    ParamType type = ParamType::real;
    double minimum = 0; // of integer and real
    double maximum = 0;
    std::vector<std::string> choices;
    ParamValue default_value;
    std::string help; // one sentence
};

struct Preset {
    std::string name;
    std::string help;
    std::vector<std::pair<std::string, ParamValue>> values; // those that differ from the defaults
};

// Values for a list of ParamInfo, which must outlive it. Starts with the defaults.
class KARST_API ParamSet {
public:
    explicit ParamSet(std::span<const ParamInfo> infos);

    std::span<const ParamInfo> infos() const noexcept { return infos_; }
    const ParamValue &value(std::size_t index) const { return values_.at(index); }
    // Throws Error(invalid_argument) for an unknown name; the message suggests the nearest one.
    const ParamValue &value(std::string_view name) const;

    // Checks type, range and choice; throws Error(invalid_argument) that names the parameter, the
    // value it got and what is allowed.
    void set(std::string_view name, const ParamValue &value);
    // The same from text, as on a command line: true/false, decimal numbers, names.
    void set_text(std::string_view name, std::string_view text);
    void apply(const Preset &preset);

private:
    std::size_t index_of(std::string_view name) const;

    std::span<const ParamInfo> infos_;
    std::vector<ParamValue> values_;
};

// "0.25", "45", "true", "B3/S23": round-trips through set_text.
KARST_API std::string to_string(const ParamValue &value);
// "0.5 to 200 m", "one of random, larger": for messages and docs.
KARST_API std::string allowed(const ParamInfo &info);

} // namespace karst

#include <karst/params.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

#include <karst/error.hpp>

#include "core/nearest.hpp"

namespace karst {

namespace {

// The shortest text that gives the value back, without an exponent where a person can read it so.
std::string number(double value) {
    char text[32];
    const double size = std::abs(value);
    const auto form = value == 0 || (size >= 1e-5 && size < 1e15) ? std::chars_format::fixed
                                                                  : std::chars_format::scientific;
    const auto end = std::to_chars(text, text + sizeof text, value, form).ptr;
    return {text, end};
}

[[noreturn]] void refuse(const ParamInfo &info, const std::string &got) {
    throw Error(ErrorCode::invalid_argument,
                info.name + " is " + got + "; allowed is " + allowed(info));
}

} // namespace

std::string to_string(const ParamValue &value) {
    struct Visitor {
        std::string operator()(bool v) const { return v ? "true" : "false"; }
        std::string operator()(std::int64_t v) const { return std::to_string(v); }
        std::string operator()(double v) const { return number(v); }
        std::string operator()(const std::string &v) const { return v; }
    };
    return std::visit(Visitor{}, value);
}

std::string allowed(const ParamInfo &info) {
    switch (info.type) {
    case ParamType::boolean:
        return "true or false";
    case ParamType::text:
        return "text";
    case ParamType::choice: {
        std::string list = "one of ";
        for (std::size_t i = 0; i < info.choices.size(); ++i) {
            list += (i == 0 ? "" : ", ") + info.choices[i];
        }
        return list;
    }
    case ParamType::integer:
    case ParamType::real:
        break;
    }
    return (info.type == ParamType::integer ? "a whole number from " : "") + number(info.minimum) +
           " to " + number(info.maximum) + (info.unit.empty() ? "" : " " + info.unit);
}

ParamSet::ParamSet(std::span<const ParamInfo> infos) : infos_(infos) {
    for (const auto &info : infos) {
        values_.push_back(info.default_value);
    }
}

std::size_t ParamSet::index_of(std::string_view name) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < infos_.size(); ++i) {
        if (infos_[i].name == name) {
            return i;
        }
        names.push_back(infos_[i].name);
    }
    throw Error(ErrorCode::invalid_argument, "there is no parameter '" + std::string(name) + "'" +
                                                 core::did_you_mean(name, names));
}

const ParamValue &ParamSet::value(std::string_view name) const {
    return values_[index_of(name)];
}

void ParamSet::set(std::string_view name, const ParamValue &value) {
    const std::size_t index = index_of(name);
    const ParamInfo &info = infos_[index];
    if (value.index() != info.default_value.index()) {
        refuse(info, to_string(value));
    }
    if (const double *real = std::get_if<double>(&value)) {
        if (!(*real >= info.minimum && *real <= info.maximum)) { // false for NaN
            refuse(info, to_string(value));
        }
    } else if (const std::int64_t *whole = std::get_if<std::int64_t>(&value)) {
        if (static_cast<double>(*whole) < info.minimum ||
            static_cast<double>(*whole) > info.maximum) {
            refuse(info, to_string(value));
        }
    } else if (info.type == ParamType::choice &&
               std::find(info.choices.begin(), info.choices.end(), std::get<std::string>(value)) ==
                   info.choices.end()) {
        refuse(info, "'" + to_string(value) + "'");
    }
    values_[index] = value;
}

void ParamSet::set_text(std::string_view name, std::string_view text) {
    const ParamInfo &info = infos_[index_of(name)];
    const char *const end = text.data() + text.size();
    const std::string quoted = "'" + std::string(text) + "'";
    switch (info.type) {
    case ParamType::boolean:
        if (text != "true" && text != "false") {
            refuse(info, quoted);
        }
        set(name, text == "true");
        break;
    case ParamType::integer: {
        std::int64_t value = 0;
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        if (error != std::errc() || stop != end) {
            refuse(info, quoted);
        }
        set(name, value);
        break;
    }
    case ParamType::real: {
        double value = 0;
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        if (error != std::errc() || stop != end || !std::isfinite(value)) {
            refuse(info, quoted);
        }
        set(name, value);
        break;
    }
    case ParamType::choice:
    case ParamType::text:
        set(name, std::string(text));
        break;
    }
}

void ParamSet::apply(const Preset &preset) {
    for (const auto &[name, value] : preset.values) {
        set(name, value);
    }
}

} // namespace karst

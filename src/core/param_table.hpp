// Describes the members of a parameter struct once; everything by name is derived from it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <karst/error.hpp>
#include <karst/params.hpp>

namespace karst::core {

template <class P>
struct ParamRow {
    ParamInfo info; // default_value is filled in from a default-constructed P
    std::function<ParamValue(const P &)> get;
    std::function<void(P &, const ParamValue &)> set;
};

template <class P>
ParamRow<P> real(double P::*member, std::string name, std::string unit, double minimum,
                 double maximum, std::string help) {
    return {{std::move(name),
             std::move(unit),
             ParamType::real,
             minimum,
             maximum,
             {},
             {},
             std::move(help)},
            [member](const P &p) { return ParamValue(p.*member); },
            [member](P &p, const ParamValue &v) { p.*member = std::get<double>(v); }};
}

template <class P>
ParamRow<P> integer(std::int64_t P::*member, std::string name, std::string unit, double minimum,
                    double maximum, std::string help) {
    return {{std::move(name),
             std::move(unit),
             ParamType::integer,
             minimum,
             maximum,
             {},
             {},
             std::move(help)},
            [member](const P &p) { return ParamValue(p.*member); },
            [member](P &p, const ParamValue &v) { p.*member = std::get<std::int64_t>(v); }};
}

template <class P>
ParamRow<P> boolean(bool P::*member, std::string name, std::string help) {
    return {{std::move(name), "", ParamType::boolean, 0, 1, {}, {}, std::move(help)},
            [member](const P &p) { return ParamValue(p.*member); },
            [member](P &p, const ParamValue &v) { p.*member = std::get<bool>(v); }};
}

// `choices` names the enumerators 0, 1, 2, ... in order.
template <class P, class E>
ParamRow<P> choice(E P::*member, std::string name, std::vector<std::string> choices,
                   std::string help) {
    static_assert(std::is_enum_v<E>);
    const std::string parameter = name; // in a value that no choice has, which set() refuses
    return {{std::move(name), "", ParamType::choice, 0, 0, choices, {}, std::move(help)},
            [member, choices, parameter](const P &p) {
                const auto index = static_cast<std::size_t>(p.*member);
                return ParamValue(index < choices.size() ? choices[index]
                                                         : parameter + " " + std::to_string(index));
            },
            [member, choices](P &p, const ParamValue &v) {
                for (std::size_t i = 0; i < choices.size(); ++i) {
                    if (choices[i] == std::get<std::string>(v)) {
                        p.*member = static_cast<E>(i);
                    }
                }
            }};
}

template <class P>
class ParamTable {
public:
    explicit ParamTable(std::vector<ParamRow<P>> rows) : rows_(std::move(rows)) {
        const P defaults{};
        for (auto &row : rows_) {
            row.info.default_value = row.get(defaults);
            infos_.push_back(row.info);
        }
    }

    std::span<const ParamInfo> infos() const noexcept { return infos_; }

    P from(const ParamSet &set) const {
        P params{};
        for (const auto &row : rows_) {
            row.set(params, set.value(row.info.name));
        }
        return params;
    }

    // "name=value " for each row: equal texts, equal members.
    std::string describe(const P &params) const {
        std::string text;
        for (const auto &row : rows_) {
            text += row.info.name + "=" + to_string(row.get(params)) + " ";
        }
        return text;
    }

    // Throws Error(invalid_argument) for the first member outside its range.
    void validate(const P &params) const {
        ParamSet set(infos_);
        for (const auto &row : rows_) {
            set.set(row.info.name, row.get(params));
        }
    }

private:
    std::vector<ParamRow<P>> rows_;
    std::vector<ParamInfo> infos_;
};

// The rows of two tables, for something that takes the parameters of both.
inline std::vector<ParamInfo> joined(std::span<const ParamInfo> first,
                                     std::span<const ParamInfo> second) {
    std::vector<ParamInfo> infos(first.begin(), first.end());
    infos.insert(infos.end(), second.begin(), second.end());
    return infos;
}

} // namespace karst::core

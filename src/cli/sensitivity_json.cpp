#include "cli/sensitivity_json.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include <nlohmann/json.hpp>

#include <karst/seed.hpp>

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

// What is not finite is null in JSON.
Json number_or_null(double value) {
    return std::isfinite(value) ? Json(value) : Json();
}
Json number_or_null(const std::optional<double> &value) {
    return value ? number_or_null(*value) : Json();
}

template <class List, class F>
Json list_of(const List &list, F &&f) {
    Json all = Json::array();
    for (const auto &item : list) {
        all.push_back(f(item));
    }
    return all;
}

Json numbers_json(const std::vector<double> &list) {
    return list_of(list, [](double value) { return number_or_null(value); });
}

Json curve_json(const lab::Curve &its) {
    return {{"mean", numbers_json(its.mean)},
            {"low", numbers_json(its.low)},
            {"high", numbers_json(its.high)}};
}

Json shares_json(const std::vector<lab::Share> &list) {
    return {{"share", list_of(list, [](const lab::Share &its) { return its.share; })},
            {"low", list_of(list, [](const lab::Share &its) { return its.low; })},
            {"high", list_of(list, [](const lab::Share &its) { return its.high; })}};
}

Json knob_value(const ParamValue &value) {
    return std::visit([](const auto &its) { return Json(its); }, value);
}

Json knob_row(const lab::ParameterRow &row, double confidence) {
    Json low = Json::array();
    Json high = Json::array();
    Json distances = Json::array();
    for (const lab::Mean &mean : row.distance) {
        const lab::Interval bounds = mean.interval(confidence);
        distances.push_back(mean.value);
        low.push_back(std::max(bounds.low, 0.0));
        high.push_back(bounds.high);
    }
    return {{"name", row.name},
            {"unit", row.unit},
            {"value", knob_value(row.value)},
            {"changed", list_of(row.changed, knob_value)},
            {"steps", numbers_json(row.steps)},
            {"distance", distances},
            {"low", low},
            {"high", high},
            {"derivative", numbers_json(row.derivative)},
            {"order", number_or_null(row.order)},
            {"verdict", lab::name_of(row.verdict)},
            {"reason", row.reason},
            {"effect", number_or_null(row.effect)},
            {"effect_low", number_or_null(row.low)},
            {"effect_high", number_or_null(row.high)},
            {"rank", row.rank > 0 ? Json(row.rank) : Json()}};
}

} // namespace

Json json_of(const lab::StateReport &report, const io::Parameters &parameters) {
    Json damage = curve_json(report.damage);
    damage["median"] = numbers_json(report.median);
    Json json{{"kind", "state"},
              {"simulation", report.simulation},
              {"perturbation", lab::name_of(report.perturbation)},
              {"amount", report.amount},
              {"size", io::json(report.size, 0)},
              {"parameters", io::json(parameters)},
              {"seed", seed_to_string(report.settings.seed)},
              {"replicas", report.settings.replicas},
              {"transient", report.settings.transient},
              {"confidence", report.settings.confidence},
              {"steps", report.steps},
              {"damage", damage}};
    if (!report.agents.mean.empty()) {
        json["agents"] = curve_json(report.agents);
    }
    json["bray_curtis"] = curve_json(report.bray_curtis);
    json["front_radius"] = curve_json(report.front_radius);
    json["alive"] = shares_json(report.alive);
    json["independent"] = report.independent_damage.empty()
                              ? Json()
                              : Json{{"damage", numbers_json(report.independent_damage)},
                                     {"bray_curtis", numbers_json(report.independent_bray_curtis)}};
    json["healed"] = {
        {"share", report.healed.share}, {"low", report.healed.low}, {"high", report.healed.high}};
    json["fsle"] = list_of(report.fsle, [](const lab::FirstPassages::Exponent &its) {
        return Json{{"size", its.size},
                    {"exponent", number_or_null(its.value)},
                    {"passages", its.passages},
                    {"stayed", its.stayed}};
    });
    const lab::DamageLaw &law = report.law;
    json["law"] = {{"kind", lab::name_of(law.kind)},
                   {"exponent", number_or_null(law.exponent)},
                   {"low", number_or_null(law.low)},
                   {"high", number_or_null(law.high)},
                   {"criterion", number_or_null(law.criterion)},
                   {"points", law.points},
                   {"first", law.first},
                   {"last", law.last}};
    json["derrida_slope"] = number_or_null(report.derrida_slope);
    json["boolean_exponent"] = number_or_null(report.boolean_exponent);
    return json;
}

Json json_of(const lab::ParameterReport &report, const Job &job, const std::string &preset,
             double confidence) {
    return {{"kind", "parameters"},
            {"generator", report.generator},
            {"preset", preset.empty() ? Json() : Json(preset)},
            {"layer", report.layer},
            {"size", io::json(job.extent, job.depth)},
            {"cell", job.cell},
            {"seed", seed_to_string(job.seed)},
            {"seeds", report.seeds},
            {"confidence", confidence},
            {"independent", report.independent},
            {"runs", report.runs},
            {"rows", list_of(report.rows, [confidence](const lab::ParameterRow &row) {
                 return knob_row(row, confidence);
             })}};
}

} // namespace karst::cli

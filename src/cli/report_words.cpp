#include "cli/html_report.hpp"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

template <class... Values>
std::string sentence(const char *format, Values... values) {
    char text[400];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

std::vector<std::string> seed_sentences(const Json &part) {
    std::size_t judged = 0;
    for (const Json &stage : part["rows"]) {
        judged += stage["judged"].get<bool>() ? 1u : 0u;
    }
    std::vector<std::string> words;
    const bool met = part["met"].get<bool>();
    words.push_back(
        sentence("%zu bits in %zu judged stages, %lld base seeds: %s", part["bits"].size(), judged,
                 static_cast<long long>(part["seeds"].get<std::int64_t>()),
                 met ? "every bit changes each stage as much as an independent seed does."
                     : "not every requirement is met."));
    for (const Json &unmet : part["unmet"]) {
        words.push_back(unmet.get<std::string>() + ".");
    }
    return words;
}

std::vector<std::string> state_sentences(const Json &part) {
    std::vector<std::string> words;
    const Json &law = part["law"];
    const auto kind = law["kind"].get<std::string>();
    const auto value = [&law](const char *name) {
        return law[name].is_number() ? law[name].get<double>() : 0.0;
    };
    const auto replicas = static_cast<long long>(part["replicas"].get<std::int64_t>());
    if (kind == "dies") {
        words.push_back(sentence("In all of %lld replicas the difference is gone by step %s.",
                                 replicas, part["steps"].back().dump().c_str()));
        return words;
    }
    words.push_back(sentence("%.3g %% of %lld replicas healed.",
                             100 * part["healed"]["share"].get<double>(), replicas));
    if (kind == "power" || kind == "exponential") {
        words.push_back(sentence(kind == "power"
                                     ? "Damage grows as a power of time, t^%.3g [%.3g, %.3g]: "
                                       "no exponential, so no Lyapunov exponent above 0."
                                     : "Damage grows exponentially, by a rate of %.3g a step "
                                       "[%.3g, %.3g].",
                                 value("exponent"), value("low"), value("high")));
    } else {
        words.push_back("The data do not tell a power law from an exponential.");
    }
    return words;
}

std::vector<std::string> parameter_sentences(const Json &part) {
    std::string first;
    std::size_t ranked = 0;
    std::size_t fixed = 0;
    for (const Json &row : part["rows"]) {
        const bool has_rank = row["rank"].is_number();
        fixed += has_rank ? 0u : 1u;
        if (has_rank && row["effect"].get<double>() > 0 && ++ranked <= 3) {
            first += (first.empty() ? "" : ", ") + row["name"].get<std::string>();
        }
    }
    std::vector<std::string> words{ranked == 0 ? "No parameter changes anything."
                                               : "Most is changed by " + first + "."};
    if (fixed > 0) {
        words.push_back(sentence("%zu of %zu parameters have no rank; the table says why.", fixed,
                                 part["rows"].size()));
    }
    return words;
}

} // namespace

std::vector<std::string> verdict_sentences(const Json &part) {
    const std::string kind = part["kind"].get<std::string>();
    if (kind == "seed") {
        return seed_sentences(part);
    }
    if (kind == "state") {
        return state_sentences(part);
    }
    if (kind == "parameters") {
        return parameter_sentences(part);
    }
    std::size_t met = 0;
    for (const Json &oracle : part["oracles"]) {
        met += oracle["met"].get<bool>() ? 1u : 0u;
    }
    return {sentence("%zu of %zu known values are met within their tolerance.", met,
                     part["oracles"].size())};
}

} // namespace karst::cli

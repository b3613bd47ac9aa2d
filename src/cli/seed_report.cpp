#include "cli/seed_report.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <span>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>

#include "core/base64.hpp"
#include "core/run.hpp"
#include "io/file.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kWriteEvery = 10; // s
constexpr std::size_t kLargestState = std::size_t{1} << 28;

// Few decimals, which read back as the same number; what is not finite is null.
Json short_number(double value, double scale = 1e6) {
    if (!std::isfinite(value)) {
        return {};
    }
    return std::abs(value) < 1e9 ? std::floor(value * scale + 0.5) / scale : value;
}

Json short_numbers(std::span<const double> values) {
    Json list = Json::array();
    for (const double value : values) {
        list.push_back(short_number(value));
    }
    return list;
}

Json json_of_row(const lab::SeedRow &row) {
    Json verdicts = Json::array();
    for (const lab::BitVerdict verdict : row.verdicts) {
        verdicts.push_back(lab::verdict_name(verdict));
    }
    const lab::Quantity &quantity = row.quantity;
    return {{"name", quantity.stage},
            {"step", quantity.step ? Json(*quantity.step) : Json()},
            {"distance", quantity.distance},
            {"structure", quantity.is_structure()},
            {"judged", quantity.judged},
            {"baseline", short_number(row.baseline, 1e9)},
            {"expected", row.expected ? short_number(*row.expected, 1e9) : Json()},
            {"average_sensitivity", short_number(row.average_sensitivity)},
            {"ratio", short_numbers(row.ratio)},
            {"low", short_numbers(row.low)},
            {"high", short_numbers(row.high)},
            {"verdict", verdicts},
            {"unchanged", row.unchanged},
            {"bit_correlation", short_number(row.bit_correlation)},
            {"partner_correlation", short_number(row.partner_correlation)}};
}

Json json_of_numbers(const lab::RandomNumbers &numbers) {
    return {{"samples", numbers.samples},
            {"average_sensitivity", short_number(numbers.average_sensitivity)},
            {"worst_bias", short_number(numbers.worst_bias)},
            {"worst_bit", numbers.worst_bit},
            {"worst_output", numbers.worst_output},
            {"worst_p", short_number(numbers.worst_p)},
            {"completeness", short_number(numbers.completeness)},
            {"avalanche", short_number(numbers.avalanche)},
            {"strict_avalanche", short_number(numbers.strict_avalanche)},
            {"worst_correlation", short_number(numbers.worst_correlation)},
            {"correlation_bit", numbers.correlation_bit},
            {"correlation_outputs", {numbers.correlation_first, numbers.correlation_second}},
            {"correlation_p", short_number(numbers.correlation_p)},
            {"flips", numbers.flips},
            {"met", numbers.met()}};
}

template <class... Values>
std::string table_line(const char *format, Values... values) {
    char text[320];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

std::string row_text(const lab::SeedRow &row) {
    const lab::Quantity &quantity = row.quantity;
    const auto count = [&](lab::BitVerdict verdict) {
        return static_cast<long>(std::count(row.verdicts.begin(), row.verdicts.end(), verdict));
    };
    const std::string step = quantity.step ? std::to_string(*quantity.step) : "";
    const std::string expected = row.expected ? table_line("%.4f", *row.expected) : "";
    const auto [low, high] = std::minmax_element(row.ratio.begin(), row.ratio.end());
    std::string verdicts;
    for (const lab::BitVerdict verdict :
         {lab::BitVerdict::within, lab::BitVerdict::outside, lab::BitVerdict::undecided}) {
        if (count(verdict) > 0) {
            verdicts += (verdicts.empty() ? "" : ", ") + std::to_string(count(verdict)) + " " +
                        lab::verdict_name(verdict);
        }
    }
    const auto shown = [](double value) {
        return std::isfinite(value) ? table_line("%.4f", value) : std::string("-");
    };
    return table_line("%-34.34s %6s %-20.20s %10.5g %8s %9s %7s %7s  %s\n", quantity.stage.c_str(),
                      step.c_str(), quantity.distance.c_str(), row.baseline, expected.c_str(),
                      shown(row.average_sensitivity).c_str(), shown(*low).c_str(),
                      shown(*high).c_str(), verdicts.c_str());
}

// Of a line, in hexadecimal: what a file lost or changed is not measured seeds.
std::string mark_of(std::string_view line) {
    char text[20];
    std::snprintf(text, sizeof text, "%016llx",
                  static_cast<unsigned long long>(core::xxh3(line.data(), line.size())));
    return text;
}

std::string encoded_sample(const lab::SeedSample &sample) {
    const auto columns = static_cast<std::uint32_t>(sample.values.front().size());
    std::vector<double> numbers(sample.base);
    for (const auto &values : sample.values) {
        numbers.insert(numbers.end(), values.begin(), values.end());
    }
    constexpr std::size_t kHead = 2;
    std::vector<std::uint32_t> words(kHead + 2 * numbers.size());
    words[0] = static_cast<std::uint32_t>(sample.base.size());
    words[1] = columns;
    std::memcpy(words.data() + kHead, numbers.data(), numbers.size() * sizeof(double));
    std::string text = std::to_string(sample.index) + " ";
    core::append_base64(words, text);
    return text + " " + mark_of(text) + "\n";
}

// False for a line that is none of encoded_sample().
bool decode_sample(std::string_view line, lab::SeedSample &sample) {
    const std::size_t last = line.rfind(' ');
    if (last == line.npos || mark_of(line.substr(0, last)) != line.substr(last + 1)) {
        return false;
    }
    const std::string_view text = line.substr(0, last);
    const char *const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, sample.index);
    if (error != std::errc() || stop == end || *stop != ' ' || sample.index < 0) {
        return false;
    }
    const std::string_view code(stop + 1, static_cast<std::size_t>(end - stop - 1));
    // Words of 4 bytes are 16 characters for each three.
    std::vector<std::uint32_t> words(code.size() / 4 * 3 / 4);
    if (words.size() < 2 || !core::read_base64(code, words)) {
        return false;
    }
    const std::uint64_t quantities = words[0];
    const std::uint64_t columns = words[1];
    if (quantities == 0 || columns == 0 || columns > 1024 ||
        2 * quantities * (columns + 1) + 2 != words.size()) {
        return false;
    }
    std::vector<double> numbers(quantities * (columns + 1));
    std::memcpy(numbers.data(), words.data() + 2, numbers.size() * sizeof(double));
    sample.base.assign(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(quantities));
    for (std::uint64_t i = 0; i < quantities; ++i) {
        const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(quantities + i * columns);
        sample.values.emplace_back(first, first + static_cast<std::ptrdiff_t>(columns));
    }
    return true;
}

} // namespace

Json json_of(const lab::SeedReport &report) {
    const lab::SeedSettings &settings = report.settings;
    Json stages = Json::array();
    for (const lab::SeedRow &row : report.found.rows) {
        stages.push_back(json_of_row(row));
    }
    Json repeats = Json::array();
    for (const lab::SeedRepeat &repeat : report.repeats) {
        repeats.push_back({{"stage", repeat.row},
                           {"bit", repeat.bit},
                           {"seeds", repeat.seeds},
                           {"ratio", short_number(repeat.ratio)},
                           {"low", short_number(repeat.low)},
                           {"high", short_number(repeat.high)},
                           {"verdict", lab::verdict_name(repeat.verdict)}});
    }
    Json controls = Json::array();
    for (const lab::ControlResult &control : report.controls) {
        controls.push_back({{"name", control.name},
                            {"must_fail", control.must_fail},
                            {"caught", control.caught},
                            {"why", control.why}});
    }
    return {{"seeds", report.seeds},
            {"needed", report.needed},
            {"variation", short_number(report.variation, 1e9)},
            {"partners", lab::kPartners},
            {"margin", {settings.margin.low, settings.margin.high}},
            {"level", settings.level},
            {"power", settings.power},
            {"family", report.found.family},
            {"confidence", short_number(report.found.confidence, 1e9)},
            {"runs", report.runs},
            {"random_numbers", json_of_numbers(report.random_numbers)},
            {"rows", stages},
            {"repeats", repeats},
            {"controls", controls},
            {"unmet", report.unmet},
            {"met", report.met()}};
}

std::string text_of(const lab::SeedReport &report) {
    std::string text =
        table_line("%-34s %6s %-20s %10s %8s %9s %7s %7s  %s\n", "stage", "step", "distance",
                   "baseline", "2p(1-p)", "sum of R", "least R", "most R", "bits in 0.9 to 1.1");
    for (const lab::SeedRow &row : report.found.rows) {
        text += row_text(row);
    }
    text += table_line(
        "%lld base seeds (%lld by power, variation %.4f), %zu bits, family of %lld tests, "
        "intervals at %.6f\n",
        static_cast<long long>(report.seeds), static_cast<long long>(report.needed),
        report.variation, report.settings.bits.size(), static_cast<long long>(report.found.family),
        report.found.confidence);
    for (const lab::SeedRepeat &repeat : report.repeats) {
        const lab::Quantity &quantity = report.found.rows[repeat.row].quantity;
        text += table_line("again with fresh seeds: bit %d, %s: %.4f (%.4f to %.4f), %s\n",
                           repeat.bit, quantity.stage.c_str(), repeat.ratio, repeat.low,
                           repeat.high, lab::verdict_name(repeat.verdict));
    }
    const lab::RandomNumbers &numbers = report.random_numbers;
    text += table_line(
        "random numbers: %.4f of 64 seed bits flip an output, worst bias %.3f %% (p %.3g), "
        "worst correlation %.4f (p %.3g)\n",
        numbers.average_sensitivity, 100 * numbers.worst_bias, numbers.worst_p,
        numbers.worst_correlation, numbers.correlation_p);
    for (const lab::ControlResult &control : report.controls) {
        text += table_line("control '%s': %s\n", control.name.c_str(),
                           control.must_fail ? "caught" : "passes");
    }
    for (const std::string &unmet : report.unmet) {
        text += "NOT MET " + unmet + "\n";
    }
    return text + (report.met() ? "every bit of every stage is as good as another seed\n" : "");
}

SeedState::SeedState(std::string path, const Json &job)
    : path_(std::move(path)), heading_("karst seed state " + std::to_string(lab::kSeedMeasurement) +
                                       " " + job.dump() + "\n"),
      written_(core::clock_seconds()) {
    if (!path_.empty() && std::filesystem::exists(path_)) {
        read(io::read_file(path_, kLargestState));
    }
}

void SeedState::read(const std::string &content) {
    const auto refuse = [this](const std::string &what) {
        throw Error(ErrorCode::invalid_input,
                    path_ + ": " + what +
                        "; allowed is what an interrupted measurement of the "
                        "same job left, or no such file");
    };
    if (!content.starts_with(heading_)) {
        refuse("it is not of this measurement");
    }
    for (std::size_t begin = heading_.size(); begin < content.size();) {
        const std::size_t end = content.find('\n', begin);
        lab::SeedSample sample;
        if (end == std::string::npos ||
            !decode_sample(std::string_view(content).substr(begin, end - begin), sample)) {
            refuse("the base seed after byte " + std::to_string(begin) + " is damaged");
        }
        samples_.push_back(std::move(sample));
        begin = end + 1;
    }
    text_ = content.substr(heading_.size());
}

void SeedState::keep(const lab::SeedSample &sample) {
    if (path_.empty()) {
        return;
    }
    text_ += encoded_sample(sample);
    has_more_ = true;
    if (core::clock_seconds() - written_ > kWriteEvery) {
        write();
    }
}

void SeedState::write() {
    if (has_more_) {
        io::write_file(path_, heading_ + text_);
        has_more_ = false;
        written_ = core::clock_seconds();
    }
}

void SeedState::remove() {
    if (!path_.empty()) {
        std::error_code error; // a file that stays is read and found complete
        std::filesystem::remove(path_, error);
    }
}

} // namespace karst::cli

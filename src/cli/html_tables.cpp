#include "cli/html_tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include <nlohmann/json.hpp>

#include "cli/svg.hpp"

namespace karst::cli::html {

namespace {

std::string rounded(double value) {
    char text[32];
    const bool whole = std::abs(value) < 1e9 && value == std::floor(value);
    std::snprintf(text, sizeof text, whole ? "%.0f" : "%.4g", value + 0.0); // no -0
    return text;
}

} // namespace

std::string shown(const Json &value) {
    if (value.is_number()) {
        return "<span data-v=\"" + value.dump() + "\">" + rounded(value.get<double>()) + "</span>";
    }
    if (value.is_null()) {
        return "-";
    }
    return escaped(value.is_string() ? value.get<std::string>() : value.dump());
}

const Json &member(const Json &object, const char *name) {
    static const Json kNone;
    const auto at = object.find(name);
    return at == object.end() ? kNone : *at;
}

std::string words(const Json &object, const char *name) {
    const Json &value = member(object, name);
    return value.is_string() ? value.get<std::string>() : std::string();
}

double number(const Json &value) {
    return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

std::string cell(const std::string &inside, bool is_text) {
    return std::string(is_text ? "<td class=\"w\">" : "<td>") + inside + "</td>";
}

std::string head(const std::vector<std::string> &texts, const std::vector<std::size_t> &left) {
    std::string row = "<tr>";
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const bool is_text = std::find(left.begin(), left.end(), i) != left.end();
        row += std::string(is_text ? "<th class=\"w\">" : "<th>") + escaped(texts[i]) + "</th>";
    }
    return row + "</tr>\n";
}

std::string table(const std::string &rows) {
    return "<div class=\"wide\"><table>\n" + rows + "</table></div>\n";
}

std::string caption(const std::string &text) {
    return "<p class=\"caption\">" + escaped(text) + "</p>\n";
}

} // namespace karst::cli::html

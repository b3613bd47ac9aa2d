#include "cli/html_report.hpp"

#include <nlohmann/json.hpp>

#include "cli/html_parts.hpp"
#include "cli/html_tables.hpp"
#include "cli/svg.hpp"

namespace karst::cli {

namespace {

using namespace html;

constexpr const char *kStyle = R"(
body{font:15px/1.5 system-ui,sans-serif;color:#202020;background:#fff;max-width:1180px;margin:2em auto;padding:0 1em}
h1{font-size:1.7em}h2{font-size:1.3em;margin-top:2.2em;border-bottom:1px solid #ccc}h3{font-size:1.05em;margin-bottom:.3em}
table{border-collapse:collapse;font-size:13px;margin:.6em 0}th,td{padding:2px 9px;text-align:right;border-bottom:1px solid #e4e4e4}
th{background:#f3f3f3;text-align:right}td.w,th.w{text-align:left}tr.bad td{background:#fbe3d6}
.wide{overflow-x:auto}code{background:#f3f3f3;padding:1px 4px}pre{background:#f3f3f3;padding:.7em;overflow-x:auto}
.yes{color:#00674b;font-weight:600}.no{color:#b03a00;font-weight:600}.caption{color:#444;max-width:60em}
svg text{font:12px system-ui,sans-serif;fill:#202020}svg .title{font-weight:600;font-size:13px}
svg .grid{stroke:#e4e4e4}svg .frame{stroke:#202020}.charts{display:flex;flex-wrap:wrap;gap:12px}
)";

// JSON that can stand in an element: no "<" in a text may begin or end one.
std::string embedded(const Json &report) {
    std::string safe;
    for (const char c : report.dump(-1, ' ', false, Json::error_handler_t::replace)) {
        safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
    }
    return safe;
}

} // namespace

std::string html_report(const Json &report) {
    std::string html = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                       "<title>karst: sensitivity</title>\n<style>";
    html += kStyle;
    html += "</style></head><body>\n<h1>How much does one bit change?</h1>\n";
    html += "<p>karst " + shown(member(report, "karst")) + ", algorithm version " +
            shown(member(report, "algorithm_version")) +
            ". The numbers are the same on every device and with every number of threads.</p>\n";
    const bool met = member(report, "met").get<bool>();
    html += std::string("<p class=\"") +
            (met ? "yes\">Every requirement is met." : "no\">Not every requirement is met.") +
            "</p>\n<ul>\n";
    const Json &parts = report["parts"];
    for (const Json &part : parts) {
        const Json &result = part["result"];
        html += "<li><b>" + escaped(html_title(result)) + ".</b> ";
        for (const std::string &sentence : verdict_sentences(result)) {
            html += escaped(sentence) + " ";
        }
        html += "</li>\n";
    }
    html += "</ul>\n";
    for (const Json &part : parts) {
        const Json &result = part["result"];
        html += "<h2>" + escaped(html_title(result)) + "</h2>\n";
        html += "<pre>" + escaped(words(part, "command")) + "</pre>\n<p>";
        for (const std::string &sentence : verdict_sentences(result)) {
            html += escaped(sentence) + " ";
        }
        html += "</p>\n" + html_part(result);
    }
    html += "<h2>What this says and what not</h2>\n<p>A bit of the seed that is within its margin "
            "changes a stage as much as an independent seed does: the seed reaches everything. It "
            "does not say that the ground is a random source, nor that a simulation is chaotic; "
            "that is what the curves of a changed state are for. Definitions, formulas and "
            "sources: docs/sensitivity.md.</p>\n";
    html += "<script type=\"application/json\" id=\"report\">" + embedded(report) +
            "</script>\n</body></html>\n";
    return html;
}

} // namespace karst::cli

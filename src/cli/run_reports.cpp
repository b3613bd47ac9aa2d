#include "cli/run_reports.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

#include <nlohmann/json.hpp>

#include "cli/asset_options.hpp"
#include "cli/levels.hpp"
#include "io/file.hpp"
#include "io/manifest.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

// The files that an item names, a level of detail each where one name stands for all of them.
std::vector<std::string> files_of(const RecipeItem &item) {
    std::vector<std::string> files;
    for (const auto &output : item.request.outputs) {
        for (auto &file : level_files(split_output(output).path)) {
            files.push_back(std::move(file));
        }
    }
    return files;
}

std::string xml(const std::string &text) {
    std::string escaped;
    for (const char c : text) {
        switch (c) {
        case '<':
            escaped += "&lt;";
            break;
        case '&':
            escaped += "&amp;";
            break;
        case '"':
            escaped += "&quot;";
            break;
        default: // XML 1.0 has no control characters
            escaped += static_cast<unsigned char>(c) < 32 ? ' ' : c;
        }
    }
    return escaped;
}

std::string seconds_text(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", seconds);
    return text;
}

// A name in a rule of make.
std::string made(const std::string &path) {
    std::string escaped;
    for (const char c : path) {
        if (c == ' ' || c == '#') {
            escaped += '\\';
        } else if (c == '$') {
            escaped += '$';
        }
        escaped += c;
    }
    return escaped;
}

bool is_failure(const WorkItem &work) {
    return work.result.error == ErrorCode::requirement_failed;
}

} // namespace

Json list_json(const WorkItem &work) {
    Json object{{"index", work.index},
                {"id", work.item->id},
                {"asset", work.item->asset},
                {"generator", requested_row(*work.item->generator, work.item->request).name},
                {"seed", work.item->request.seed}};
    object["files"] = files_of(*work.item);
    return object;
}

Json result_json(const WorkItem &work) {
    Json object{{"index", work.index},
                {"id", work.item->id},
                {"asset", work.item->asset},
                {"state", state_name(work.result.state)},
                {"seconds", work.result.seconds}};
    if (work.result.error) {
        object["error"] = work.result.message;
        object["worth_retrying"] = work.result.worth_retrying();
    }
    object.update(work.result.report);
    return object;
}

std::string junit_text(const std::string &recipe, std::span<const WorkItem> all, double seconds) {
    const auto failures = std::count_if(all.begin(), all.end(), is_failure);
    const auto errors = std::count_if(all.begin(), all.end(), [](const WorkItem &work) {
        return work.result.error && !is_failure(work);
    });
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"" +
                       xml(recipe) + "\" tests=\"" + std::to_string(all.size()) + "\" failures=\"" +
                       std::to_string(failures) + "\" errors=\"" + std::to_string(errors) +
                       "\" time=\"" + seconds_text(seconds) + "\">\n";
    for (const auto &work : all) {
        text += "  <testcase classname=\"" + xml(work.item->asset) + "\" name=\"" +
                xml(work.item->id) + "\" time=\"" + seconds_text(work.result.seconds) + "\"";
        if (!work.result.error) {
            text += "/>\n";
            continue;
        }
        const std::string kind = is_failure(work) ? "failure" : "error";
        text += ">\n    <" + kind + " message=\"" + xml(work.result.message) + "\"/>\n" +
                "  </testcase>\n";
    }
    return text + "</testsuite>\n";
}

std::string depfile_text(const Recipe &recipe, std::span<const WorkItem> all) {
    std::string rule;
    std::set<std::string> inputs(recipe.files.begin(), recipe.files.end());
    for (const auto &work : all) {
        std::vector<std::string> files = work.result.files;
        if (files.empty()) { // it failed before
            files = files_of(*work.item);
        }
        for (const auto &file : files) {
            rule += (rule.empty() ? "" : " ") + made(file);
        }
        for (auto &file : inputs_of(*work.item->generator, work.item->request)) {
            inputs.insert(std::move(file));
        }
    }
    rule += ":";
    for (const auto &file : inputs) {
        rule += " \\\n  " + made(file);
    }
    return rule + "\n";
}

} // namespace karst::cli

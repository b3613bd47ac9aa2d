// Pieces of pages: tables, and values of a report as the eye takes them.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace karst::cli::html {

using Json = nlohmann::ordered_json;

// A number rounded for the eye, with the report's own digits beside in `data-v`; "-" for null.
std::string shown(const Json &value);

// Null if the object does not have it.
const Json &member(const Json &object, const char *name);
std::string words(const Json &object, const char *name); // empty if it is no text
double number(const Json &value);                        // NaN if it is none

std::string cell(const std::string &inside, bool is_text = false);
// `left`: the columns that hold text; numbers stand on the right.
std::string head(const std::vector<std::string> &texts, const std::vector<std::size_t> &left = {0});
std::string table(const std::string &rows);
std::string caption(const std::string &text);

} // namespace karst::cli::html

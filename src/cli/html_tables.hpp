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
// The first `left` columns hold text, and the last one if `last_is_text`.
std::string head(const std::vector<std::string> &texts, std::size_t left = 1,
                 bool last_is_text = false);
std::string table(const std::string &rows);
std::string caption(const std::string &text);

} // namespace karst::cli::html

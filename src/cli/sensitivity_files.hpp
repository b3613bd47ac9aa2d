// The files of -o of a sensitivity report: its numbers as .json, its diagrams as .png.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <nlohmann/json_fwd.hpp>

#include "cli/chart.hpp"
#include "cli/outputs.hpp"

namespace karst::cli {

void add_sensitivity_files(CLI::App &command, std::vector<std::string> &files);

// Throws Error(invalid_argument) for another extension, and as Claims::file.
void claim_sensitivity_files(Claims &claims, const std::vector<std::string> &files);

void write_sensitivity_files(const std::vector<std::string> &files,
                             const nlohmann::ordered_json &numbers,
                             const std::function<Canvas()> &picture);

} // namespace karst::cli

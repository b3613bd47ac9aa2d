// Whose seeds are tried: a generator or a simulation, as typed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <nlohmann/json.hpp>

#include "cli/request.hpp"
#include "lab/seed_subject.hpp"

namespace karst::cli {

struct SeedJob {
    std::unique_ptr<lab::Subject> subject;
    nlohmann::ordered_json job; // generator, preset, parameters, size, cell
    bool has_fraction = false;  // its last amount has 16 fraction bits
};

// `steps` as StageObserver::steps(). Throws Error(invalid_argument).
SeedJob seed_job(const std::string &generator, const AssetRequest &request,
                 const std::vector<std::int64_t> &steps);

// "life, physarum, ...".
std::string seed_generators();

// --preset, --size, --extent, --cell, --set.
void add_seed_job_options(CLI::App &command, AssetRequest &request);

} // namespace karst::cli

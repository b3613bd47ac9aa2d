// Where a Life board comes from: a .rle file or a random soup.
#pragma once

#include <optional>

#include <CLI/App.hpp>

#include <karst/simulate.hpp>

#include "cli/values.hpp"
#include "io/manifest.hpp"

namespace karst::cli {

struct LifeInput {
    OptionalText in, soup, seed, rule, size, at, boundary;
};

struct LifeJob {
    LifeBoard board;
    LifeRule rule;
    LifeBoundary boundary = LifeBoundary::torus;
    std::optional<std::uint64_t> seed; // of a soup
    io::Parameters parameters;         // for the manifest and the report
};

void add_life_input_options(CLI::App &command, LifeInput &input);

// Reads or draws the board. Throws Error(invalid_argument), Error(invalid_input) for a bad file,
// Error(unsupported) for a topology that is neither torus nor plane, Error(out_of_memory) before
// the board is made.
LifeJob make_life_job(const LifeInput &input, const Options &options);

} // namespace karst::cli

// Where a Life board or volume comes from: a .rle file or a random soup.
#pragma once

#include <optional>

#include <CLI/App.hpp>

#include <karst/life_volume.hpp>
#include <karst/simulate.hpp>

#include "cli/values.hpp"
#include "io/manifest.hpp"

namespace karst::cli {

struct LifeInput {
    OptionalText in, soup, soup_map, seed, rule, size, at, boundary;
};

template <class B, class R>
struct BasicLifeJob {
    using Board = B;
    using Rule = R;

    Board board;
    Rule rule;
    LifeBoundary boundary = LifeBoundary::torus;
    std::optional<std::uint64_t> seed; // of a soup
    io::Parameters parameters;         // for the manifest and the report
};
using LifeJob = BasicLifeJob<LifeBoard, LifeRule>;
using LifeVolumeJob = BasicLifeJob<LifeVolume, LifeRule3>;

void add_life_input_options(CLI::App &command, LifeInput &input);

// Whether --size has three numbers.
bool is_volume(const LifeInput &input);

// Read or draw the board. Throw Error(invalid_argument), Error(invalid_input) for a bad file,
// Error(unsupported) for a topology that is neither torus nor plane, Error(out_of_memory) before
// the board is made. A volume comes from a soup only.
LifeJob make_life_job(const LifeInput &input, const Options &options);
LifeVolumeJob make_life_volume_job(const LifeInput &input, const Options &options);

} // namespace karst::cli

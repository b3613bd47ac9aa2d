// The items of a recipe as work: estimated, made, skipped where nothing changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <karst/options.hpp>

#include "cli/asset.hpp"
#include "cli/digest_lock.hpp"
#include "cli/recipe.hpp"

namespace karst::cli {

// The checked asset of an item. What is wrong is Error(invalid_input) at the item's place, and so
// is a file that lies outside the recipe's folder when links are followed.
Asset asset_of(const Recipe &recipe, const RecipeItem &item, Claims &claims, Inputs &inputs);

// Makes the folders of the item's outputs and sees that no link leads out of the recipe's folder.
// Throws Error(invalid_input) at the item's place for a link, Error(io_failure).
void make_folders(const Recipe &recipe, const RecipeItem &item);

// The layers of the asset, if every file of it is there as an earlier run of the same job wrote it,
// to the byte; else nothing.
std::optional<std::vector<LayerDigest>> unchanged_layers(const Asset &asset);

struct Estimate {
    std::uint64_t bytes = 0; // of memory
    double seconds = 0;      // from a crop of the asset that was run, in proportion to its cells
};

// Throws as the generator does for parameters that it does not take.
Estimate estimate(const Asset &asset, const Options &options);

enum class WorkState { made, unchanged, failed };

struct WorkResult {
    WorkState state = WorkState::made;
    std::optional<ErrorCode> error; // of a failed one
    std::string message;
    double seconds = 0;
    std::vector<LayerDigest> layers;
    std::vector<std::string> files; // paths that it writes, without manifests; none: not known
    nlohmann::ordered_json report = nlohmann::ordered_json::object(); // asset, stages, notes, files

    // Memory and devices may be there the next time, or on another machine.
    bool worth_retrying() const;
};

struct WorkSettings {
    Inputs *inputs = nullptr;         // of the run, never null
    bool force = false;               // make what is unchanged too
    const DigestLock *lock = nullptr; // not null: nothing else than what it approves is written
};

// Makes one item. Error(cancelled) goes through; every other error is the result's.
WorkResult work(const Recipe &recipe, const RecipeItem &item, const WorkSettings &settings,
                Options options);

const char *state_name(WorkState state); // "made", "unchanged", "failed"

} // namespace karst::cli

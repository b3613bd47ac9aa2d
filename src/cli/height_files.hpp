// --profile, --tiles and --holes: which files a target becomes, and writing them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/outputs.hpp"
#include "cli/request.hpp"
#include "io/holes.hpp"
#include "io/profiles.hpp"

namespace karst::cli {

// The layer of exact heights, from which a profile's files are made.
inline constexpr const char *kElevation = "elevation";

bool makes_heights(const GeneratorInfo &row);

// For each target its files, nothing for one that neither switch touches: heights go by the
// profile, other maps are cut where the heights are. Throws Error(invalid_argument), and for a row
// without heights too.
std::vector<std::optional<io::HeightPlan>> plan_targets(const GeneratorInfo &row,
                                                        const AssetRequest &request, Extent2 extent,
                                                        std::span<const Target> targets);

// Every file of the plan. Throws as Claims does.
void claim(Claims &claims, const io::HeightPlan &plan);

// The layer that the files hold if `layer` was asked for.
std::string stored_layer(const io::HeightPlan &plan, const std::string &layer);

// A file for each tile; of their manifests the layer and the tile. They refer to `plan` and
// `artifact`, which must outlive them. `holes` is of the whole map, null where the plan has none.
void add_tiles(std::vector<Output> &outputs, const io::HeightPlan &plan, const Artifact &artifact,
               const std::string &layer, const std::shared_ptr<const io::HoleMask> &holes);

} // namespace karst::cli

// One asset on its way: asked for, checked, generated, written. karst NAME and karst run share it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <karst/options.hpp>

#include "cli/digest_lock.hpp"
#include "cli/inputs.hpp"
#include "cli/request.hpp"
#include "cli/requirements.hpp"
#include "cli/tiles.hpp"
#include "io/manifest.hpp"
#include "io/profiles.hpp"

namespace karst::cli {

// A request that was checked as far as it can be before anything is computed.
struct Asset {
    const GeneratorInfo *row = nullptr;
    Job job;
    std::vector<Target> targets{};
    std::vector<Requirement> requirements{};
    std::optional<std::string> shape{};    // the file of job.shape
    std::vector<io::InputRecord> inputs{}; // what was read, paths as they were opened
    io::Parameters options{};              // switches that say how files are written
    std::optional<io::RecipeRecord> recipe{};
    MeshFileOptions axes{}; // of formats that do not say
    bool short_indices = false;
    // For each target the files that it becomes; nothing: one file, as it is.
    std::vector<std::optional<io::HeightPlan>> plans{};
    Inputs::Read<Field2D<std::uint16_t>> holes{}; // the painted map; null: there are none
    std::optional<TilePlan> tiles{};              // the outputs' names are those of tiles
};

// Checks the request, claims what it reads and writes, and reads the files that it names. Throws
// Error(invalid_argument), Error(invalid_input), Error(io_failure), Error(unsupported).
Asset make_asset(const GeneratorInfo &generator, const AssetRequest &request, Claims &claims,
                 Inputs &inputs);

// Throws Error(out_of_memory) if writing the asset's holes takes more than there is.
void require_hole_memory(const Asset &asset, const Options &options);

// Generates it, which has no tiles, and checks its requirements. What is wrong with a shape names
// its file. Throws as GeneratorInfo::generate and check_requirements do.
Artifact generate(const Asset &asset, const Options &options);

// The manifest of a target before it is made, without layer, stages and file digest.
io::Manifest manifest_of(const Asset &asset, const Target &target);

// Each file that the asset becomes, without manifests; of the tiles of --tile-size their common
// name.
std::vector<Target> files_of(const Asset &asset);
// The paths of all of them, of each tile too, and of what stands beside them.
std::vector<std::string> paths_of(const Asset &asset);

// A file of a target that is a layer. It refers to `artifact`, which must outlive it.
Output layer_output(io::Manifest manifest, const Target &target, const Artifact &artifact);

// The layer of a target, if its file and those beside it are there as an earlier run of the same
// job wrote them, to the byte; else nothing.
std::optional<LayerDigest> unchanged_layer(const io::Manifest &job, const Target &target);

// A file for each of files_of. They refer to `asset` and `artifact`, which must outlive them.
// Throws Error(cancelled).
std::vector<Output> outputs_of(const Asset &asset, const Artifact &artifact,
                               std::span<const StageDigest> stages, const Options &options);

// Generator, seed, layers and measures, for reports; of tiles, how many there are.
nlohmann::ordered_json report_of(const Asset &asset, const Artifact &artifact);
nlohmann::ordered_json report_of(const Asset &asset, const TileFiles &files);

} // namespace karst::cli

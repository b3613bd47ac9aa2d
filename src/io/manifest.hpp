// The manifest FILE.karst.json beside FILE: what made it, and what is in it. It holds nothing that
// varies between two runs of the same job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <karst/artifact.hpp>
#include <karst/io.hpp>
#include <karst/options.hpp>
#include <karst/params.hpp>

namespace karst::io {

using Parameters = std::vector<std::pair<std::string, ParamValue>>;

Parameters parameters(const ParamSet &set);

// The array of one file.
struct ArrayRecord {
    std::string name;
    std::string type; // "u8", "u16", "u32"; "bits" of a Life board
    int bits = 0;     // a channel
    int channels = 1; // a cell
    std::string meaning;
    std::string unit;
    double scale = 1;
    double offset = 0;
    std::uint64_t digest = 0;
    std::uint64_t bytes = 0; // of the raw array
    // What the file's numbers mean, where it does not hold the array.
    std::optional<double> file_scale;
    std::optional<double> file_offset; // where it is not the array's
};

ArrayRecord array_record(const Layer &layer);

// The parts of one mesh file.
struct MeshRecord {
    struct Part {
        std::string name;
        std::uint64_t vertices = 0;
        std::uint64_t triangles = 0;
        Vec3 pivot{0, 0, 0}; // metres
        std::uint64_t digest = 0;
    };
    std::string name;
    std::vector<Part> parts;
    std::uint64_t sockets = 0;
    bool short_indices = false;               // parts were cut to fit
    std::optional<MeshFileOptions> file_axes; // of one file's numbers
};

MeshRecord::Part part_record(const MeshPart &part);
MeshRecord mesh_record(const MeshLayer &layer);

struct DocumentRecord {
    std::string name;
    std::uint64_t bytes = 0;
    std::uint64_t digest = 0; // XXH3-64 of the text
};

DocumentRecord document_record(const Document &document);

// Which part of a map a file holds.
struct TileRecord {
    std::string map;    // the file that was asked for, without its folder
    Extent2 counts;     // tiles of the map
    std::int64_t x = 0; // from the west
    std::int64_t y = 0; // from the north
};

// Which level of detail of a mesh a file holds.
struct LevelRecord {
    std::string files; // the name that was asked for, with {lod}
    int level = 0;
};

// A file that is written beside it, for engines.
struct BesideRecord {
    std::string file; // without its folder
    std::uint64_t bytes = 0;
    std::uint64_t digest = 0; // XXH3-64 of them
};

using LayerRecord = std::variant<ArrayRecord, MeshRecord, DocumentRecord>;

// Of an array or a document its digest, of a mesh the digest of its parts' digests.
std::uint64_t digest_of(const LayerRecord &layer);

// What a map of a parameter means.
struct InputMap {
    std::string name;
    double black = 0;
    double white = 0;
};

// A file that the job read.
struct InputRecord {
    std::string name;         // of the switch that named it: "shape"
    std::string path;         // from the manifest's folder where it is relative
    std::uint64_t digest = 0; // XXH3-64 of its bytes
    std::optional<InputMap> map{};
};

// The asset of a recipe that asked for the file.
struct RecipeRecord {
    std::string file; // without its folder
    std::string asset;
};

struct Manifest {
    std::string generator;
    std::optional<RecipeRecord> recipe;
    std::optional<std::uint64_t> seed; // nothing: the job used none
    Parameters parameters;
    Extent2 extent;
    std::int64_t depth = 0; // cells upwards; 0: the job made maps
    double cell = 1;        // metres
    std::vector<InputRecord> inputs;
    Parameters options; // how it is written: the asset's switches that were given, by name
    std::vector<StageDigest> stages;
    LayerRecord layer;
    std::optional<TileRecord> tile;   // nothing: the file holds the whole layer
    std::optional<LevelRecord> level; // nothing: the file holds the whole mesh, or none
    std::vector<BesideRecord> beside;
    std::string file; // without its folder
    std::uint64_t file_bytes = 0;
    std::uint64_t file_digest = 0; // XXH3-64 of its bytes
};

std::string manifest_path(const std::string &path); // FILE.karst.json
std::string file_name(const std::string &path);     // without its folder

// Objects with their keys in a fixed order, for the manifest and for reports.
nlohmann::ordered_json json(const Parameters &parameters);
nlohmann::ordered_json json(const LayerRecord &layer);
nlohmann::ordered_json json(Extent2 extent, std::int64_t depth); // [w, h] or [w, h, d]

// What was asked for, without what came out of it: two manifests of one file that agree here are of
// one job. job_of gives that part of a whole manifest.
nlohmann::ordered_json job_json(const Manifest &manifest);
nlohmann::ordered_json job_of(const nlohmann::ordered_json &manifest);

inline constexpr int kManifestVersion = 2;

// The text of the file: JSON, keys in a fixed order, one line feed at the end.
std::string manifest_text(const Manifest &manifest);

const char *meaning_name(LayerMeaning meaning); // "mask", "amount", "id"
std::string hexadecimal(std::uint64_t value);   // "0x" and 16 digits

} // namespace karst::io

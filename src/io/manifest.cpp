#include "io/manifest.hpp"

#include <nlohmann/json.hpp>

#include <karst/seed.hpp>

#include "core/digest.hpp"
#include "io/mesh_formats.hpp"

namespace karst::io {

namespace {

using Json = nlohmann::ordered_json;

const char *const kJobKeys[] = {"generator", "algorithm_version", "recipe", "seed",    "extent",
                                "cell",      "parameters",        "inputs", "options", "file"};

} // namespace

Json json(const Parameters &parameters) {
    Json object = Json::object();
    for (const auto &[name, value] : parameters) {
        std::visit([&object, &key = name](const auto &v) { object[key] = v; }, value);
    }
    return object;
}

namespace {

Json json_of(const ArrayRecord &array) {
    Json object{{"name", array.name},     {"type", array.type},
                {"bits", array.bits},     {"meaning", array.meaning},
                {"unit", array.unit},     {"scale", array.scale},
                {"offset", array.offset}, {"digest", hexadecimal(array.digest)},
                {"bytes", array.bytes}};
    if (array.channels > 1) {
        object["channels"] = array.channels;
    }
    if (array.file_scale) {
        object["file_scale"] = *array.file_scale;
    }
    if (array.file_offset) {
        object["file_offset"] = *array.file_offset;
    }
    return object;
}

Json json_of(const MeshRecord &mesh) {
    Json object{{"name", mesh.name}, {"type", "mesh"}};
    object["parts"] = Json::array();
    for (const auto &part : mesh.parts) {
        object["parts"].push_back({{"name", part.name},
                                   {"vertices", part.vertices},
                                   {"triangles", part.triangles},
                                   {"pivot", part.pivot},
                                   {"digest", hexadecimal(part.digest)}});
    }
    object["digest"] = hexadecimal(digest_of(mesh));
    object["sockets"] = mesh.sockets;
    if (mesh.short_indices) {
        object["short_indices"] = true;
    }
    if (mesh.file_axes) {
        object["file_units"] = units_name(mesh.file_axes->units);
        object["file_up"] = up_name(mesh.file_axes->up);
    }
    return object;
}

Json json_of(const DocumentRecord &document) {
    return {{"name", document.name},
            {"type", "document"},
            {"digest", hexadecimal(document.digest)},
            {"bytes", document.bytes}};
}

} // namespace

std::uint64_t digest_of(const LayerRecord &layer) {
    if (const auto *mesh = std::get_if<MeshRecord>(&layer)) {
        std::vector<std::uint64_t> parts;
        for (const auto &part : mesh->parts) {
            parts.push_back(part.digest);
        }
        return core::digest_rows(parts);
    }
    if (const auto *array = std::get_if<ArrayRecord>(&layer)) {
        return array->digest;
    }
    return std::get<DocumentRecord>(layer).digest;
}

Json json(const LayerRecord &layer) {
    return std::visit([](const auto &record) { return json_of(record); }, layer);
}

Json json(Extent2 extent, std::int64_t depth) {
    Json list{extent.width, extent.height};
    if (depth > 0) {
        list.push_back(depth);
    }
    return list;
}

Parameters parameters(const ParamSet &set) {
    Parameters list;
    for (std::size_t i = 0; i < set.infos().size(); ++i) {
        list.emplace_back(set.infos()[i].name, set.value(i));
    }
    return list;
}

ArrayRecord array_record(const Layer &layer) {
    ArrayRecord record;
    record.name = layer.name;
    record.bits = bits(layer.data);
    record.channels = channels(layer.data);
    record.type = "u" + std::to_string(record.bits);
    record.meaning = meaning_name(layer.meaning);
    record.unit = layer.unit;
    record.scale = layer.scale;
    record.offset = layer.offset;
    record.digest = digest(layer.data);
    record.bytes = static_cast<std::uint64_t>(extent(layer.data).cells()) *
                   static_cast<std::uint64_t>(record.bits / 8 * record.channels);
    return record;
}

MeshRecord::Part part_record(const MeshPart &part) {
    return {part.name, part.mesh.positions.size(), part.mesh.triangles(), part.pivot,
            digest(part.mesh)};
}

MeshRecord mesh_record(const MeshLayer &layer) {
    MeshRecord record;
    record.name = layer.name;
    for (const auto &part : layer.parts) {
        record.parts.push_back(part_record(part));
    }
    record.sockets = layer.sockets.size();
    return record;
}

DocumentRecord document_record(const Document &document) {
    return {document.name, document.text.size(), digest(document)};
}

std::string file_name(const std::string &path) {
    return path.substr(path.rfind('/') + 1);
}

std::string manifest_path(const std::string &path) {
    return path + ".karst.json";
}

Json job_json(const Manifest &manifest) {
    Json object{{"generator", manifest.generator}, {"algorithm_version", KARST_ALGORITHM_VERSION}};
    if (manifest.recipe) {
        object["recipe"] = {{"file", manifest.recipe->file}, {"asset", manifest.recipe->asset}};
    }
    object["seed"] = manifest.seed ? Json(seed_to_string(*manifest.seed)) : Json();
    object["extent"] = json(manifest.extent, manifest.depth);
    object["cell"] = manifest.cell;
    object["parameters"] = json(manifest.parameters);
    if (!manifest.inputs.empty()) {
        object["inputs"] = Json::array();
    }
    for (const auto &input : manifest.inputs) {
        object["inputs"].push_back(
            {{"name", input.name}, {"file", input.path}, {"digest", hexadecimal(input.digest)}});
        if (input.map) {
            Json &record = object["inputs"].back();
            record["map"] = input.map->name;
            record["black"] = input.map->black;
            record["white"] = input.map->white;
        }
    }
    if (!manifest.options.empty()) {
        object["options"] = json(manifest.options);
    }
    object["file"] = manifest.file;
    return object;
}

Json job_of(const Json &manifest) {
    Json object = Json::object();
    for (const char *const key : kJobKeys) {
        if (manifest.contains(key)) {
            object[key] = manifest[key];
        }
    }
    return object;
}

std::string manifest_text(const Manifest &manifest) {
    Json object{{"karst_manifest", kManifestVersion},
                {"program", std::string("karst ") + KARST_VERSION}};
    object.update(job_json(manifest));
    object["file_bytes"] = manifest.file_bytes;
    object["file_digest"] = hexadecimal(manifest.file_digest);
    object["layer"] = json(manifest.layer);
    if (manifest.tile) {
        object["tile"] = {{"map", manifest.tile->map},
                          {"tiles", json(manifest.tile->counts, 0)},
                          {"at", {manifest.tile->x, manifest.tile->y}}};
    }
    if (manifest.level) {
        object["lod"] = {{"files", manifest.level->files}, {"level", manifest.level->level}};
    }
    for (const auto &beside : manifest.beside) {
        object["beside"].push_back({{"file", beside.file},
                                    {"bytes", beside.bytes},
                                    {"digest", hexadecimal(beside.digest)}});
    }
    object["stages"] = Json::array();
    for (const auto &[stage, digest] : manifest.stages) {
        object["stages"].push_back({{"stage", stage}, {"digest", hexadecimal(digest)}});
    }
    // Names of files need not be UTF-8.
    return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

const char *meaning_name(LayerMeaning meaning) {
    switch (meaning) {
    case LayerMeaning::mask:
        return "mask";
    case LayerMeaning::amount:
        return "amount";
    case LayerMeaning::id:
        return "id";
    case LayerMeaning::colour:
        return "colour";
    }
    return "";
}

std::string hexadecimal(std::uint64_t value) {
    return seed_to_string(value);
}

} // namespace karst::io

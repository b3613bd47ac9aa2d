#include "cli/request.hpp"

#include <algorithm>
#include <initializer_list>

#include <karst/error.hpp>
#include <karst/seed.hpp>

#include "core/joined.hpp"
#include "io/mesh_formats.hpp"

namespace karst::cli {

namespace {

const ParamInfo *find_parameter(const GeneratorInfo &row, const std::string &name) {
    const auto found = std::find_if(row.params.begin(), row.params.end(),
                                    [&name](const ParamInfo &info) { return info.name == name; });
    return found == row.params.end() ? nullptr : &*found;
}

const Preset *find_preset(const GeneratorInfo &row, const std::string &name) {
    const auto found = std::find_if(row.presets.begin(), row.presets.end(),
                                    [&name](const Preset &preset) { return preset.name == name; });
    return found == row.presets.end() ? nullptr : &*found;
}

// The other of the two rows of a command; null: it has one.
const GeneratorInfo *other_row(const GeneratorInfo &generator, const GeneratorInfo &row) {
    return &row == &generator ? volume_row(generator) : &generator;
}

[[noreturn]] void belongs_to(const GeneratorInfo &other, const GeneratorInfo &row,
                             const std::string &what) {
    throw Error(ErrorCode::invalid_argument,
                what + " belongs to karst " + command_of(other) + ", not to karst " +
                    command_of(row) + "; karst params " + row.name + " lists what is allowed");
}

const Preset &required_preset(const GeneratorInfo &row, const GeneratorInfo *other,
                              const std::string &name) {
    if (const Preset *preset = find_preset(row, name)) {
        return *preset;
    }
    if (other != nullptr && find_preset(*other, name) != nullptr) {
        belongs_to(*other, row, "preset '" + name + "'");
    }
    const std::string list = presets_of(row);
    throw Error(ErrorCode::invalid_argument, "there is no preset '" + name + "'; " + row.name +
                                                 " has " + (list.empty() ? "none" : list));
}

// The index of `text` among the enumerators' names.
std::size_t choice(const char *name, const std::string &text,
                   std::initializer_list<const char *> names) {
    const auto *const found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) {
        throw Error(ErrorCode::invalid_argument, std::string(name) + " is '" + text +
                                                     "'; allowed is one of " + core::joined(names));
    }
    return static_cast<std::size_t>(found - names.begin());
}

} // namespace

MeshFileOptions mesh_options(const AssetRequest &request, std::span<const Target> targets) {
    MeshFileOptions options;
    if (request.units) {
        options.units = static_cast<LengthUnit>(choice("units", *request.units, {"m", "cm"}));
    }
    if (request.up) {
        options.up = static_cast<UpAxis>(choice("up", *request.up, {"y", "z"}));
    }
    // A format that says its axes itself leaves them to others of the same run.
    bool used = request.shape.has_value();
    const Target *refused = nullptr;
    for (const auto &target : targets) {
        if (target.kind != LayerKind::mesh) {
            continue;
        }
        if (io::find_mesh_format(target.path).says_axes) {
            refused = &target;
        } else {
            used = true;
        }
    }
    if (request.short_indices &&
        std::none_of(targets.begin(), targets.end(),
                     [](const Target &target) { return target.kind == LayerKind::mesh; })) {
        throw Error(ErrorCode::invalid_argument,
                    "--short-indices says how a mesh is written, and there is none");
    }
    if (!used && refused != nullptr) {
        io::check_mesh_options(refused->path, io::find_mesh_format(refused->path), options);
    } else if (!used && (request.units || request.up)) {
        throw Error(ErrorCode::invalid_argument,
                    "--units and --up say how a mesh is written or read, and there is none");
    }
    return options;
}

const GeneratorInfo *volume_row(const GeneratorInfo &generator) {
    return generator.volume_name.empty() ? nullptr : &find_generator(generator.volume_name);
}

bool is_volume_row(const GeneratorInfo &generator) {
    const auto all = all_generators();
    return std::any_of(all.begin(), all.end(), [&generator](const GeneratorInfo &other) {
        return other.volume_name == generator.name;
    });
}

std::string command_of(const GeneratorInfo &generator) {
    std::string name = generator.name;
    for (const auto &other : all_generators()) {
        if (other.volume_name == generator.name) {
            name = other.name + " --size WxHxD";
        }
    }
    return (generator.simulation ? "simulate " : "") + name;
}

std::string size_of(const GeneratorInfo &generator) {
    return std::to_string(generator.default_extent.width) + "x" +
           std::to_string(generator.default_extent.height) +
           (generator.default_depth > 0 ? "x" + std::to_string(generator.default_depth) : "");
}

std::string presets_of(const GeneratorInfo &generator) {
    return core::joined(generator.presets, &Preset::name);
}

const GeneratorInfo &requested_row(const GeneratorInfo &generator, const AssetRequest &request) {
    const GeneratorInfo *volume = volume_row(generator);
    const bool three = (request.size && numbers_in(*request.size) == 3) ||
                       (request.extent && numbers_in(*request.extent) == 3);
    return volume != nullptr && three ? *volume : generator;
}

Job make_job(const GeneratorInfo &generator, const GeneratorInfo &row,
             const AssetRequest &request) {
    const GeneratorInfo *other = other_row(generator, row);
    Job job{ParamSet(row.params), {}, 1, parse_seed(request.seed)};
    if (request.preset) {
        job.params.apply(required_preset(row, other, *request.preset));
    } else if (!row.presets.empty()) {
        job.params.apply(row.presets.front());
    }
    const auto set = [&](const std::string &name, const std::string &value) {
        if (other != nullptr && !find_parameter(row, name) && find_parameter(*other, name)) {
            belongs_to(*other, row, "parameter '" + name + "'");
        }
        job.params.set_text(name, value);
    };
    for (const auto &assignment : request.assignments) {
        const auto [name, value] = parse_assignment(assignment);
        set(name, value);
    }
    const Layout layout =
        parse_layout(request.size, request.extent, request.cell,
                     {row.default_extent, row.default_cell, row.default_depth}, row.corner_samples);
    job.extent = layout.extent;
    job.cell = layout.cell;
    job.depth = layout.depth;
    if (request.shape && !row.takes_shape) {
        throw Error(ErrorCode::invalid_argument,
                    "--shape is for volumes of caves, not for karst " + command_of(row));
    }
    return job;
}

} // namespace karst::cli

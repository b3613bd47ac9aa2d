// What a person asks a generator for, as typed and as a checked job.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <karst/io.hpp>

#include "cli/job.hpp"
#include "cli/requirements.hpp"
#include "cli/values.hpp"
#include "generators/registry.hpp"

namespace karst::cli {

struct Request {
    std::string seed = "0";
    OptionalText size, extent, cell, preset;
    std::vector<std::string> assignments;
    std::vector<std::string> requirements;
    OptionalText units, up, shape;
    bool short_indices = false;
    JobArguments job;
    std::unique_ptr<ParameterFlags> flags;
};

// From --units and --up: how --shape is read and how targets are written whose format does not say.
// Without --shape a target whose format does is refused. Throws Error(invalid_argument),
// Error(unsupported).
MeshFileOptions mesh_options(const Request &request, std::span<const Target> targets);

// The row that makes volumes for `generator`; null: there is none.
const GeneratorInfo *volume_row(const GeneratorInfo &generator);

// Whether another row names this one as its volume_name: it has no command of its own.
bool is_volume_row(const GeneratorInfo &generator);

// "cave", "cave --size WxHxD", "simulate physarum".
std::string command_of(const GeneratorInfo &generator);

// The default size in cells: "1024x1024", "96x96x48".
std::string size_of(const GeneratorInfo &generator);

// The row that the request runs: volume_row() if --size or --extent has three numbers.
const GeneratorInfo &requested_row(const GeneratorInfo &generator, const Request &request);

// `row` is requested_row(generator, request). The preset first, --set over it in the order
// written, flags over both. Throws Error(invalid_argument); a parameter or preset that only the
// other row has is named so.
Job make_job(const GeneratorInfo &generator, const GeneratorInfo &row, const Request &request);

} // namespace karst::cli

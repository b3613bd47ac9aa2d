// What -o asks for, and writing it all or nothing.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <karst/options.hpp>

#include "generators/registry.hpp"
#include "io/file.hpp"
#include "io/manifest.hpp"

namespace karst::cli {

struct Target {
    std::string layer;
    LayerKind kind = LayerKind::map;
    std::string path;
};

// "[LAYER=]FILE". The layer is LAYER, else among those of a kind that the file's format can hold
// the one that the file's name is or ends with after "_", "-" or ".", else the first. Throws
// Error(invalid_argument) for a layer that is not there, Error(unsupported) for one of a kind that
// the format cannot hold. An extension that no format has passes: check_formats finds it.
Target parse_target(const std::string &text, std::span<const LayerInfo> layers);

// Checks before anything is computed: every path can be written (io::check_target), none is asked
// for twice or is the input, and at most one thing goes to the standard output. Empty report: none.
void check_targets(std::span<const Target> targets, const std::string &report, bool json,
                   const std::optional<std::string> &input);

// Throws Error(invalid_argument) for an extension that no format has; the message lists those that
// can hold one of the layers.
void check_formats(std::span<const Target> targets, std::span<const LayerInfo> layers);

struct Output {
    std::string layer;
    std::string path;
    std::function<void(io::OutputFile &)> write;
    io::Manifest manifest; // not written for the standard output
};

// Writes every file and manifest under temporary names, then gives all their names. Adds a stage
// for each file. Whatever fails before the first name leaves nothing. The names come one by one: if
// one of them cannot be given (the folder vanished meanwhile, say), those given before stay, each
// a whole file, since the older files that they replaced are gone.
void write_outputs(std::span<const Output> outputs, std::vector<StageTime> &stages);

} // namespace karst::cli

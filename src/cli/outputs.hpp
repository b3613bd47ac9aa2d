// What -o asks for, and writing it all or nothing.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
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
    std::vector<std::string> beside{};      // files that are written with it
    std::optional<io::LevelRecord> level{}; // nothing: all of the layer
};

// The two parts of "[LAYER=]FILE"; LAYER is of lower-case letters, digits and "_", else the whole
// text is a path.
struct OutputText {
    std::string layer; // empty: not named
    std::string path;
};
OutputText split_output(const std::string &text);

// "[LAYER=]FILE". The layer is LAYER, else among those of a kind that the file's format can hold
// the one that the file's name is or ends with after "_", "-" or ".", else the first. Throws
// Error(invalid_argument) for a layer that is not there, Error(unsupported) for one of a kind that
// the format cannot hold. An extension that no format has passes: check_formats finds it.
Target parse_target(const std::string &text, std::span<const LayerInfo> layers);

// What one run reads and writes, checked before anything is computed: every path can be written
// (io::check_target), none is written twice or read too, and at most one thing goes to the standard
// output. `what` names the argument in messages. Each throws Error(invalid_argument), or
// Error(io_failure) for a path that cannot be written.
class Claims {
public:
    enum class Files {
        checked, // of outputs: whether they can be written
        unseen,  // nothing is asked of the disk, for runs that write nothing
    };

    explicit Claims(Files files = Files::checked) : files_are_(files) {}

    void input(const std::string &path);
    void file(const std::string &path, const std::string &what);
    // Each file and its manifest.
    void targets(std::span<const Target> targets);
    void standard_output(const std::string &what);
    // A claimed file that, links followed, does not lie in the folder; empty: all do.
    std::string outside(const std::string &folder) const;
    // The report's file, empty for none, and the report on the standard output.
    void report(const std::string &path, bool json);

private:
    Files files_are_;
    std::set<std::string> inputs_;
    std::set<std::string> files_;
    std::string stdout_;
};

// Throws Error(invalid_argument) for an extension that no format has; the message lists those that
// can hold one of the layers.
void check_formats(std::span<const Target> targets, std::span<const LayerInfo> layers);

struct Output {
    std::string layer;
    std::string path;
    std::function<void(io::OutputFile &)> write;
    io::Manifest manifest; // not written for the standard output
    // Files for people and engines that are written with it, by path.
    std::vector<std::pair<std::string, std::function<void(io::OutputFile &)>>> beside{};
};

// Writes every file and manifest under temporary names, then gives all their names. Adds a stage
// for each file. Whatever fails before the first name leaves nothing. The names come one by one: if
// one of them cannot be given (the folder vanished meanwhile, say), those given before stay, each
// a whole file, since the older files that they replaced are gone. `threads` of the CPU encode; 0:
// all that the process may use.
void write_outputs(std::span<const Output> outputs, std::vector<StageTime> &stages, int threads);

} // namespace karst::cli

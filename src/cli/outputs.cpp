#include "cli/outputs.hpp"

#include <algorithm>
#include <filesystem>

#include <karst/error.hpp>

#include "cli/signals.hpp"
#include "core/joined.hpp"
#include "core/run.hpp"
#include "io/formats.hpp"

namespace karst::cli {

namespace {

bool is_layer_name(std::string_view text) {
    return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
                                std::string_view::npos;
}

bool can_hold(const io::FormatInfo *format, const LayerInfo &layer) {
    return format == nullptr || io::can_hold(*format, layer.kind);
}

// The longest layer name that the stem is or ends with.
const LayerInfo *layer_in_name(const std::string &path, std::span<const LayerInfo> layers) {
    const io::FormatInfo *format = io::format_of(path);
    const std::string stem = std::filesystem::path(path).stem().string();
    const LayerInfo *found = nullptr;
    for (const auto &layer : layers) {
        if (!stem.ends_with(layer.name) || !can_hold(format, layer)) {
            continue;
        }
        const std::size_t before = stem.size() - layer.name.size();
        const bool separate =
            before == 0 || std::string_view("_-.").find(stem[before - 1]) != std::string_view::npos;
        if (separate && (found == nullptr || layer.name.size() > found->name.size())) {
            found = &layer;
        }
    }
    return found;
}

std::vector<LayerKind> kinds_of(std::span<const LayerInfo> layers) {
    std::vector<LayerKind> kinds;
    for (const auto &layer : layers) {
        kinds.push_back(layer.kind);
    }
    return kinds;
}

// The kinds that a format holds: "map or volume".
std::string held_by(const io::FormatInfo &format) {
    std::string list;
    for (const auto kind : format.kinds) {
        list += (list.empty() ? "" : " or ") + std::string(io::kind_name(kind));
    }
    return list;
}

// The same file by another spelling has the same key.
std::string key_of(const std::string &path) {
    std::error_code error;
    const auto key = std::filesystem::weakly_canonical(std::filesystem::absolute(path), error);
    return error ? path : key.string();
}

} // namespace

OutputText split_output(const std::string &text) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || !is_layer_name(text.substr(0, equals))) {
        return {"", text};
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

Target parse_target(const std::string &text, std::span<const LayerInfo> layers) {
    if (const auto [name, path] = split_output(text); !name.empty()) {
        const auto layer = std::find_if(
            layers.begin(), layers.end(),
            [&wanted = name](const LayerInfo &candidate) { return candidate.name == wanted; });
        if (layer == layers.end()) {
            throw Error(ErrorCode::invalid_argument, "-o " + text + ": there is no layer '" + name +
                                                         "'; allowed is one of " +
                                                         core::joined(layers, &LayerInfo::name));
        }
        const io::FormatInfo *format = io::format_of(path);
        if (!can_hold(format, *layer)) {
            throw Error(ErrorCode::unsupported,
                        "-o " + text + ": " + std::string(format->extension) + " holds a " +
                            held_by(*format) + ", and layer '" + name + "' is a " +
                            io::kind_name(layer->kind) + "; allowed is one of " +
                            io::extensions_for({&layer->kind, 1}));
        }
        return {name, layer->kind, path};
    }
    const LayerInfo *layer = layer_in_name(text, layers);
    if (layer == nullptr) {
        const io::FormatInfo *format = io::format_of(text);
        const auto first =
            std::find_if(layers.begin(), layers.end(), [format](const LayerInfo &candidate) {
                return can_hold(format, candidate);
            });
        if (first == layers.end()) {
            throw Error(ErrorCode::unsupported,
                        "-o " + text + ": " + std::string(format->extension) + " holds a " +
                            held_by(*format) + ", and no layer is one; allowed is one of " +
                            io::extensions_for(kinds_of(layers)));
        }
        layer = &*first;
    }
    return {layer->name, layer->kind, text};
}

void check_formats(std::span<const Target> targets, std::span<const LayerInfo> layers) {
    for (const auto &target : targets) {
        if (io::format_of(target.path) != nullptr) {
            continue;
        }
        const std::string extension = io::extension_of(target.path);
        throw Error(
            ErrorCode::invalid_argument,
            "'" + target.path + "' has " +
                (extension.empty() ? "no extension" : "the unknown extension " + extension) +
                "; allowed is one of " + io::extensions_for(kinds_of(layers)));
    }
}

void Claims::input(const std::string &path) {
    if (!io::is_stdout(path)) {
        inputs_.insert(key_of(path));
    }
}

void Claims::file(const std::string &path, const std::string &what) {
    if (files_are_ == Files::checked) {
        io::check_target(path);
    }
    if (io::is_stdout(path)) {
        standard_output(what);
    } else if (inputs_.contains(key_of(path))) {
        throw Error(ErrorCode::invalid_argument,
                    what + " writes '" + path + "', which is read too; allowed is another file");
    } else if (!files_.insert(key_of(path)).second) {
        throw Error(ErrorCode::invalid_argument, what + " writes '" + path +
                                                     "', which another output writes too; "
                                                     "allowed is one output a file");
    }
}

void Claims::targets(std::span<const Target> targets) {
    for (const auto &target : targets) {
        file(target.path, "-o " + target.path);
        if (!io::is_stdout(target.path)) {
            file(io::manifest_path(target.path), "-o " + target.path);
        }
    }
}

std::string Claims::outside(const std::string &folder) const {
    const std::filesystem::path root = key_of(folder.empty() ? "." : folder);
    for (const auto &file : files_) {
        const auto inside = std::filesystem::path(file).lexically_relative(root);
        if (inside.empty() || *inside.begin() == "..") {
            return file;
        }
    }
    return "";
}

void Claims::standard_output(const std::string &what) {
    if (!stdout_.empty()) {
        throw Error(ErrorCode::invalid_argument,
                    what + " and " + stdout_ +
                        " both go to the standard output; allowed is one of them");
    }
    stdout_ = what;
}

void Claims::report(const std::string &path, bool json) {
    if (json) {
        standard_output("--json");
    }
    if (!path.empty()) {
        file(path, "--report " + path);
    }
}

void write_outputs(std::span<const Output> outputs, std::vector<StageTime> &stages, int threads) {
    io::OutputFiles files(&cancel_switch(), threads);
    for (const auto &output : outputs) {
        const double start = core::clock_seconds();
        io::OutputFile &file = files.add(output.path);
        output.write(file);
        file.finish();
        std::vector<io::BesideRecord> beside;
        for (const auto &[path, write] : output.beside) {
            io::OutputFile &other = files.add(path);
            write(other);
            other.finish();
            beside.push_back({io::file_name(path), other.bytes(), other.digest()});
        }
        if (!io::is_stdout(output.path)) {
            io::OutputFile &manifest = files.add(io::manifest_path(output.path));
            io::Manifest record = output.manifest;
            record.file_bytes = file.bytes();
            record.file_digest = file.digest();
            record.beside = std::move(beside);
            manifest.write(io::manifest_text(record));
            manifest.finish();
        }
        stages.push_back(
            {"write " + io::file_name(output.path), "cpu", core::clock_seconds() - start, start});
    }
    files.commit();
}

} // namespace karst::cli

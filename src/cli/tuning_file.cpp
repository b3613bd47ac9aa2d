#include "cli/tuning_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include <nlohmann/json.hpp>

#include <karst/config.hpp>
#include <karst/error.hpp>

#include "io/file.hpp"
#include "io/folder_lock.hpp"
#include "io/json_file.hpp"
#include "sim/tune.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1; // of the file
constexpr std::size_t kLargestFile = std::size_t{1} << 20;
constexpr std::size_t kMostEntries = 4096;
constexpr int kMostPower = 64; // of two, of cells and of agents a cell

std::string environment(const char *name) {
    const char *const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// The entries of a file; throws Error for what is no such file.
Json read_entries(const std::string &path) {
    const Json file = io::parse_json(io::read_file(path, kLargestFile), path);
    if (!file.is_object() || !file.contains("karst_tuning") || file["karst_tuning"] != kFormat ||
        !file.contains("entries") || !file["entries"].is_array() ||
        file["entries"].size() > kMostEntries) {
        throw Error(ErrorCode::invalid_input, path + ": no tuning of this version of karst");
    }
    return file["entries"];
}

bool has_text(const Json &entry, const char *name, const std::string &text) {
    return entry.contains(name) && entry[name].is_string() &&
           entry[name].get_ref<const std::string &>() == text;
}

Json json_of_key(DeviceKind kind, const DeviceKey &key) {
    return {{"kind", kind == DeviceKind::cuda ? "cuda" : "cpu"},
            {"device", key.name},
            {"capability", key.capability},
            {"driver", key.driver},
            {"runtime", key.runtime},
            {"karst", KARST_VERSION},
            {"space", sim::tuning_space()}};
}

bool is_of_device(const Json &entry, DeviceKind kind, const DeviceKey &key) {
    return has_text(entry, "kind", kind == DeviceKind::cuda ? "cuda" : "cpu") &&
           has_text(entry, "device", key.name);
}

bool is_current(const Json &entry, DeviceKind kind, const DeviceKey &key) {
    const Json its = json_of_key(kind, key);
    return std::all_of(its.items().begin(), its.items().end(), [&](const auto &item) {
        return entry.contains(item.key()) && entry[item.key()] == item.value();
    });
}

bool read_power(const Json &entry, const char *name, int &power) {
    if (!entry.contains(name) || !entry[name].is_number_integer()) {
        return false;
    }
    const auto value = entry[name].get<std::int64_t>();
    power = static_cast<int>(std::clamp<std::int64_t>(value, -kMostPower, kMostPower));
    return value == power;
}

// False: no engine knows it.
bool read_choice(const Json &entry, DeviceKind kind, TuningChoice &choice) {
    if (!entry.contains("engine") || !entry["engine"].is_string() || !entry.contains("values") ||
        !entry["values"].is_object() || !read_power(entry, "cells", choice.cells) ||
        !read_power(entry, "agents", choice.agents)) {
        return false;
    }
    choice.engine = entry["engine"].get<std::string>();
    for (const auto &item : entry["values"].items()) {
        const Json &value = item.value();
        if (!value.is_number_integer() || value < INT32_MIN || value > INT32_MAX) {
            return false;
        }
        choice.values.emplace_back(item.key(), value.get<std::int32_t>());
    }
    return sim::is_valid(kind, choice);
}

std::string counted(std::size_t count, const char *what) {
    return std::to_string(count) + (count == 1 ? " entry is " : " entries are ") + what;
}

} // namespace

std::string tuning_path() {
    if (std::getenv("KARST_TUNING") != nullptr) {
        const std::string path = environment("KARST_TUNING");
        return path == "off" ? "" : path;
    }
    // A folder that is not absolute is to be passed over, says the XDG base directory standard.
    const std::string cache = environment("XDG_CACHE_HOME");
    if (cache.starts_with('/')) {
        return cache + "/karst/tuning.json";
    }
    const std::string home = environment("HOME");
    return home.starts_with('/') ? home + "/.cache/karst/tuning.json" : "";
}

bool has_tuning(const std::string &path) {
    std::error_code error;
    // A file that was named is missed.
    return !path.empty() &&
           (std::getenv("KARST_TUNING") != nullptr || std::filesystem::exists(path, error));
}

LoadedTuning load_tuning(const std::string &path, DeviceKind kind, const DeviceKey &key) {
    LoadedTuning loaded;
    try {
        std::size_t foreign = 0;
        std::size_t stale = 0;
        std::size_t damaged = 0;
        for (const Json &entry : read_entries(path)) {
            TuningChoice choice;
            if (!entry.is_object()) {
                ++damaged;
            } else if (!is_of_device(entry, kind, key)) {
                ++foreign;
            } else if (!is_current(entry, kind, key)) {
                ++stale;
            } else if (!read_choice(entry, kind, choice)) {
                ++damaged;
            } else {
                loaded.tuning.choices.push_back(std::move(choice));
            }
        }
        const auto note = [&](std::size_t count, const char *what) {
            if (count > 0) {
                loaded.notes.push_back(path + ": " + counted(count, what) + ", passed over");
            }
        };
        note(foreign, "of other devices");
        note(stale, "of another version of the driver or of karst");
        note(damaged, "damaged");
    } catch (const std::exception &error) {
        loaded.tuning.choices.clear();
        loaded.notes = {std::string(error.what()) + "; passed over"};
    }
    return loaded;
}

void check_tuning_file(const std::string &path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::error_code error;
    if (!folder.empty()) {
        std::filesystem::create_directories(folder, error);
    }
    if (error) {
        throw Error(ErrorCode::io_failure,
                    "cannot make the folder '" + folder.string() + "': " + error.message());
    }
    io::check_target(path);
    // What it would replace: nothing, or a tuning, be it damaged.
    std::string head(4096, '\0');
    std::ifstream file(std::filesystem::path(path), std::ios::binary);
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(file.gcount()));
    if (!head.empty() && head.find("karst_tuning") == std::string::npos) {
        throw Error(ErrorCode::invalid_argument,
                    "'" + path + "' holds no tuning; allowed is a new file or one of karst tune");
    }
}

std::size_t store_tuning(const std::string &path, DeviceKind kind, const DeviceKey &key,
                         std::span<const TunedEntry> entries) {
    const io::FolderLock lock(path);
    std::size_t stored = 0;
    Json kept = Json::array();
    try {
        kept = read_entries(path);
    } catch (const Error &) { // there is none yet, or none that could be kept
        kept = Json::array();
    }
    const auto replaced = [&](const Json &entry) {
        TuningChoice choice;
        if (!entry.is_object()) {
            return true;
        }
        if (!is_of_device(entry, kind, key)) {
            return false;
        }
        return !is_current(entry, kind, key) || !read_choice(entry, kind, choice) ||
               std::any_of(entries.begin(), entries.end(), [&](const TunedEntry &its) {
                   return its.choice.engine == choice.engine && its.choice.cells == choice.cells &&
                          its.choice.agents == choice.agents;
               });
    };
    kept.erase(std::remove_if(kept.begin(), kept.end(), replaced), kept.end());
    for (const TunedEntry &its : entries) {
        if (its.choice.values.empty() || kept.size() >= kMostEntries) {
            continue;
        }
        Json entry = json_of_key(kind, key);
        entry["engine"] = its.choice.engine;
        entry["cells"] = its.choice.cells;
        entry["agents"] = its.choice.agents;
        for (const auto &[name, value] : its.choice.values) {
            entry["values"][name] = value;
        }
        entry["default_seconds"] = its.default_seconds;
        entry["tuned_seconds"] = its.tuned_seconds;
        kept.push_back(std::move(entry));
        ++stored;
    }
    const Json file{{"karst_tuning", kFormat}, {"entries", kept}};
    io::write_file(path, file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
    return stored;
}

} // namespace karst::cli

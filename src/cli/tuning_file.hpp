// What `karst tune` has found, in a file of the user's cache folder. Whatever is wrong with it,
// jobs run with the defaults and give the same results.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <karst/device.hpp>
#include <karst/tuning.hpp>

#include "sim/devices.hpp"

namespace karst::cli {

// The environment's KARST_TUNING ("off" or empty: none), else karst/tuning.json in the folder
// XDG_CACHE_HOME or in ~/.cache. Empty: there is none.
std::string tuning_path();

// Whether there is something to load: a file, or one that KARST_TUNING names and that is missed.
bool has_tuning(const std::string &path);

struct LoadedTuning {
    Tuning tuning;
    std::vector<std::string> notes; // what was passed over, a line each
};

// What the file has for a device. Entries of other devices, drivers and versions of karst are
// passed over, and so is what nobody can have stored. Never throws for anything in the file.
LoadedTuning load_tuning(const std::string &path, DeviceKind kind, const DeviceKey &key);

// What was found for one engine and size; a choice without values is stored as no entry.
struct TunedEntry {
    TuningChoice choice;
    double default_seconds = 0;
    double tuned_seconds = 0;
};

// Makes the folder and throws Error(io_failure) if the file cannot be written there.
void check_tuning_file(const std::string &path);

// Replaces what the file has for the device and these engines and sizes, and leaves out what it has
// for the device's older drivers and versions; other devices keep theirs, and so does what another
// process stores meanwhile. Gives the number of entries that were stored. Throws Error(io_failure).
std::size_t store_tuning(const std::string &path, DeviceKind kind, const DeviceKey &key,
                         std::span<const TunedEntry> entries);

} // namespace karst::cli

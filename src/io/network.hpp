// The networks of an earlier run, read back.
#pragma once

#include <string>

#include <karst/controls.hpp>

namespace karst::io {

// The document "network" of a generator (docs/formats.md). Throws Error(io_failure), and
// Error(invalid_input) "FILE: ..." for whatever is none.
SavedNetworks read_networks(const std::string &path);

} // namespace karst::io

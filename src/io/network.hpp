// The networks of an earlier run, read back.
#pragma once

#include <string>

#include <karst/controls.hpp>

namespace karst::io {

// The document "network" of a generator (docs/formats.md) from its text; messages call it `name`.
// Throws Error(invalid_input) "NAME: ..." for whatever is none.
SavedNetworks parse_networks(const std::string &text, const std::string &name);

} // namespace karst::io

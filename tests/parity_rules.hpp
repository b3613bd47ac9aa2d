// Kernels of Life that are compiled for a rule while karst runs, against the plain engine.
#pragma once

#include <string>
#include <vector>

#include <karst/device.hpp>

#include "golden.hpp"

namespace karst::test {

// The cases rules/..., of which those run whose names begin with `prefix`. Prints a line for each,
// or why none can run; false: the last line is the difference.
bool run_compiled_rules(const std::vector<Device> &devices, Selection selection,
                        const std::string &prefix);

} // namespace karst::test

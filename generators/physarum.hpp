// The parameters of the raw Physarum field, for whoever runs it otherwise.
#pragma once

#include <karst/simulate.hpp>

#include "generators/registry.hpp"

namespace karst {

// Of a job of the row "physarum".
PhysarumParams physarum_params(const Job &job);

} // namespace karst

// What a karst_result holds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <karst/artifact.hpp>

#include "capi/host.hpp"

namespace karst::capi {

struct Result {
    std::shared_ptr<HostMemory> memory; // of the artifact's cells; null: C++'s
    Artifact artifact;
    std::vector<std::string> notes;
};

} // namespace karst::capi

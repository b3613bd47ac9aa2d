// What a karst_result holds.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <karst/artifact.hpp>

#include "capi/host.hpp"

namespace karst::capi {

struct Result {
    std::shared_ptr<HostMemory> memory; // of the artifact's cells; null: C++'s
    Artifact artifact;
    std::vector<std::string> notes;

    // digest(data) of a part of the artifact, computed the first time that it is asked for.
    template <class Data>
    std::uint64_t digest_of(const Data &data) {
        {
            const std::lock_guard lock(mutex);
            const auto known = digests.find(&data);
            if (known != digests.end()) {
                return known->second;
            }
        }
        const std::uint64_t made = digest(data);
        const std::lock_guard lock(mutex);
        return digests.emplace(&data, made).first->second;
    }

    std::mutex mutex{}; // of `digests`
    std::map<const void *, std::uint64_t> digests{};
};

} // namespace karst::capi

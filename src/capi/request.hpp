// What a karst_request holds.
#pragma once

#include <mutex>

#include "generators/registry.hpp"

namespace karst::capi {

struct Request {
    const GeneratorInfo &generator;
    std::mutex mutex{}; // of `job`
    Job job;

    explicit Request(const GeneratorInfo &its);
    Job copy_of_job();
};

} // namespace karst::capi

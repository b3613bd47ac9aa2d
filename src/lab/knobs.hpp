// What the parameters of a job can be changed to: what measure_parameters() tries.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <karst/error.hpp>

#include "lab/parameters.hpp"

namespace karst::lab {

struct KnobValue {
    ParamValue value;
    double step; // what it is more than the value of the job; of a choice its number
};

// What a parameter can be changed to, and what was refused.
struct Knob {
    const ParamInfo *info = nullptr;
    std::vector<KnobValue> values;
    std::string reason;
};

// Whether an error says that a job is none, and not that it failed.
bool is_refusal(const Error &error);

// Whether the generator takes a job, without running it.
class JobChecks {
public:
    JobChecks(const GeneratorInfo &generator, const Job &job, const Options &options);

    // The job with this value; the reason if not.
    bool takes(const ParamInfo &info, const ParamValue &value, std::string &reason);
    // Of the largest job so far.
    std::uint64_t bytes() const noexcept { return bytes_; }

private:
    const GeneratorInfo &generator_;
    const Job &job_;
    const std::atomic<bool> from_the_start_{true};
    std::uint64_t bytes_ = 0;
    Options options_;
};

// Of ParameterSettings::only, or of all. Throws Error(invalid_argument) for a name that is none.
std::vector<Knob> find_knobs(const Job &job, const ParameterSettings &settings, JobChecks &checks);

} // namespace karst::lab

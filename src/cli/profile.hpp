// Where the time of a job went: a table of stages and kernels, and a timeline for viewers.
#pragma once

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <karst/options.hpp>

namespace karst::cli {

// Lines of a table: the stages in their order and under each its kernels, the first of a kernel
// apart from the others, since it brings code and memory to the device. `copy_rate` is the bytes a
// second that a copy reads and writes on the kernels' device; 0: not known.
std::string profile_table(std::span<const StageTime> stages, std::span<const KernelTime> kernels,
                          double copy_rate);

// A stage as reports have it, with its kernels if there are any.
nlohmann::ordered_json stage_json(const StageTime &stage, std::span<const KernelTime> kernels);

// The same as a timeline: JSON in Chrome's trace format, which Perfetto opens.
std::string trace_text(std::span<const StageTime> stages, std::span<const KernelTime> kernels);

} // namespace karst::cli

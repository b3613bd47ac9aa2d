// What an engine can be told about its work: a space of named integer axes for each, and the point
// of it that a job gets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <karst/options.hpp>
#include <karst/tuning.hpp>

namespace karst::sim {

// Changes with the axes, their values and their meaning: what was found before is of another space.
inline constexpr int kTuningSpace = 1;

struct TuningAxis {
    std::string name;
    std::vector<std::int32_t> values; // ascending, the standard one among them
    std::int32_t standard;
    bool kinds; // none is nearer to another
};
using TuningAxes = std::vector<TuningAxis>;
using TuningPoint = std::vector<std::int32_t>; // a value for each axis

// Powers of two nearest to the cells and to the agents a cell.
struct SizeClass {
    int cells = 0;
    int agents = 0; // of Life, and of none: 0
    friend bool operator==(const SizeClass &, const SizeClass &) = default;
};
// `cells` is at least 1.
SizeClass size_class(std::int64_t cells, std::int64_t agents = 0);

// Of one engine: cpu::LifeTuning, cpu::LifeVolumeTuning, cpu::PhysarumTuning and those of CUDA.
template <class Tuning>
const TuningAxes &tuning_axes();
// The point must be of the space.
template <class Tuning>
Tuning tuning_at(const TuningPoint &point);

// The axes of the engine "life", "life3d" or "physarum"; null for another name.
const TuningAxes *find_axes(DeviceKind kind, const std::string &engine);

// The point of a choice; nothing if the space has none such.
std::optional<TuningPoint> point_of(const TuningAxes &axes, const TuningChoice &choice);
TuningPoint standard_point(const TuningAxes &axes);
// "drift=6 threads=384": what is not as standard; "default" if nothing is.
std::string text_of(const TuningAxes &axes, const TuningPoint &point);

// Of the options' device, which is not automatic; null: none.
inline const Tuning *tuning_of(const Options &options) {
    return options.tuning ? options.tuning(options.device) : nullptr;
}

// The choice for an engine that is nearest to a size, at most one class away in cells and in
// agents; null if there is none.
const TuningChoice *find_choice(const Tuning *tuning, const std::string &engine, SizeClass size);

// What the job's tuning (null: none) says for a size; the defaults where it says nothing valid.
template <class EngineTuning>
EngineTuning chosen_tuning(const Tuning *tuning, SizeClass size);

} // namespace karst::sim

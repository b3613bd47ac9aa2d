#include "sim/tuning.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "sim/life_tuning.hpp"
#include "sim/physarum_tuning.hpp"

namespace karst::sim {

namespace {

// An axis and the member that it sets.
template <class Tuning>
struct AxisField {
    const char *name;
    std::int32_t Tuning::*member;
    std::vector<std::int32_t> values;
    bool kinds = false;
};

template <class Tuning>
struct EngineSpace;

template <>
struct EngineSpace<cpu::LifeTuning> {
    using Tuning = cpu::LifeTuning;
    static constexpr const char *kEngine = "life";
    static std::vector<AxisField<Tuning>> fields() {
        return {{"generations", &Tuning::generations, {4, 8, 16, 32}},
                {"words", &Tuning::words, {34, 66, 136, 258, 514}},
                {"pieces", &Tuning::pieces, {1, 2, 4, 8}},
                {"older", &Tuning::older, {0, 1, 2}, true}};
    }
};

template <>
struct EngineSpace<cpu::LifeVolumeTuning> {
    using Tuning = cpu::LifeVolumeTuning;
    static constexpr const char *kEngine = "life3d";
    static std::vector<AxisField<Tuning>> fields() {
        return {{"words", &Tuning::words, {64, 128, 256, 512, 1024}},
                {"slices", &Tuning::slices, {8, 16, 32, 64, 128}}};
    }
};

template <>
struct EngineSpace<cpu::PhysarumTuning> {
    using Tuning = cpu::PhysarumTuning;
    static constexpr const char *kEngine = "physarum";
    static std::vector<AxisField<Tuning>> fields() {
        return {{"sort_interval", &Tuning::sort_interval, {32, 64, 128}},
                {"tile_width", &Tuning::tile_width, {32, 64, 128, 256, 512}},
                {"tile_height", &Tuning::tile_height, {4, 8, 16, 32}},
                {"pieces", &Tuning::pieces, {1, 2, 4, 8}},
                {"older", &Tuning::older, {0, 1, 2}, true}};
    }
};

template <>
struct EngineSpace<cuda::LifeTuning> {
    using Tuning = cuda::LifeTuning;
    static constexpr const char *kEngine = "life";
    static std::vector<AxisField<Tuning>> fields() {
        return {{"generations", &Tuning::generations, {1, 2, 4, 8}},
                {"rows", &Tuning::rows, {0, 4, 8, 16, 32, 64, 128, 256, 512, 1024}},
                {"threads", &Tuning::threads, {32, 64, 128}}};
    }
};

template <>
struct EngineSpace<cuda::LifeVolumeTuning> {
    using Tuning = cuda::LifeVolumeTuning;
    static constexpr const char *kEngine = "life3d";
    static std::vector<AxisField<Tuning>> fields() {
        return {{"columns", &Tuning::columns, {1, 2, 4, 8, 16}},
                {"slices", &Tuning::slices, {0, 4, 8, 16, 32, 64, 128, 256}}};
    }
};

template <>
struct EngineSpace<cuda::PhysarumTuning> {
    using Tuning = cuda::PhysarumTuning;
    static constexpr const char *kEngine = "physarum";
    static std::vector<AxisField<Tuning>> fields() {
        return {{"form",
                 &Tuning::form,
                 {cuda::by_thresholds, cuda::two_kernels, cuda::dense_tiles, cuda::sparse_tiles},
                 true},
                {"threads", &Tuning::threads, {128, 256, 384, 512}},
                {"drift", &Tuning::drift, {2, 4, 6, 7, 8, 9, 10, 12, 14}},
                {"blocks", &Tuning::blocks, {0, 1, 2, 4}},
                {"agent_threads", &Tuning::agent_threads, {64, 128, 256}},
                {"rows", &Tuning::rows, {1, 2, 4, 8, 16, 32}}};
    }
};

template <class Tuning>
const std::vector<AxisField<Tuning>> &fields_of() {
    static const auto fields = EngineSpace<Tuning>::fields();
    return fields;
}

template <class Tuning>
TuningAxes make_axes() {
    TuningAxes axes;
    for (const auto &field : fields_of<Tuning>()) {
        axes.push_back({field.name, field.values, Tuning{}.*field.member, field.kinds});
    }
    return axes;
}

// 2 to this power is nearest to a / b, where both are at least 1.
int nearest_power(std::int64_t a, std::int64_t b) {
    const double ratio = static_cast<double>(a) / static_cast<double>(b);
    const auto width = [](std::int64_t value) {
        return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value)));
    };
    int power = width(a) - width(b); // one off, at most
    const auto scaled = [&] {        // the ratio over 2 to that power
        return power >= 0 ? ratio / static_cast<double>(std::uint64_t{1} << power)
                          : ratio * static_cast<double>(std::uint64_t{1} << -power);
    };
    while (scaled() * scaled() > 2) {
        ++power;
    }
    while (scaled() * scaled() * 2 < 1) {
        --power;
    }
    return power;
}

} // namespace

SizeClass size_class(std::int64_t cells, std::int64_t agents) {
    return {nearest_power(cells, 1), agents > 0 ? nearest_power(agents, cells) : 0};
}

template <class Tuning>
const TuningAxes &tuning_axes() {
    static const TuningAxes axes = make_axes<Tuning>();
    return axes;
}

template <class Tuning>
Tuning tuning_at(const TuningPoint &point) {
    Tuning tuning;
    const auto &fields = fields_of<Tuning>();
    for (std::size_t i = 0; i < fields.size(); ++i) {
        tuning.*fields[i].member = point[i];
    }
    return tuning;
}

const TuningAxes *find_axes(DeviceKind kind, const std::string &engine) {
    const bool gpu = kind == DeviceKind::cuda;
    if (engine == "life") {
        return gpu ? &tuning_axes<cuda::LifeTuning>() : &tuning_axes<cpu::LifeTuning>();
    }
    if (engine == "life3d") {
        return gpu ? &tuning_axes<cuda::LifeVolumeTuning>() : &tuning_axes<cpu::LifeVolumeTuning>();
    }
    if (engine == "physarum") {
        return gpu ? &tuning_axes<cuda::PhysarumTuning>() : &tuning_axes<cpu::PhysarumTuning>();
    }
    return nullptr;
}

TuningPoint standard_point(const TuningAxes &axes) {
    TuningPoint point;
    for (const TuningAxis &axis : axes) {
        point.push_back(axis.standard);
    }
    return point;
}

std::optional<TuningPoint> point_of(const TuningAxes &axes, const TuningChoice &choice) {
    TuningPoint point = standard_point(axes);
    for (const auto &[name, value] : choice.values) {
        std::size_t i = 0;
        while (i < axes.size() && axes[i].name != name) {
            ++i;
        }
        if (i == axes.size() || std::find(axes[i].values.begin(), axes[i].values.end(), value) ==
                                    axes[i].values.end()) {
            return {};
        }
        point[i] = value;
    }
    return point;
}

std::string text_of(const TuningAxes &axes, const TuningPoint &point) {
    std::string text;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (point[i] != axes[i].standard) {
            text += (text.empty() ? "" : " ") + axes[i].name + "=" + std::to_string(point[i]);
        }
    }
    return text.empty() ? "default" : text;
}

const TuningChoice *find_choice(const Tuning *tuning, const std::string &engine, SizeClass size) {
    const TuningChoice *best = nullptr;
    std::int64_t least = 0;
    if (tuning != nullptr) {
        for (const TuningChoice &choice : tuning->choices) {
            const std::int64_t cells = std::abs(std::int64_t{choice.cells} - size.cells);
            const std::int64_t agents = std::abs(std::int64_t{choice.agents} - size.agents);
            if (choice.engine == engine && cells <= 1 && agents <= 1 &&
                (best == nullptr || cells + agents < least)) {
                best = &choice;
                least = cells + agents;
            }
        }
    }
    return best;
}

template <class EngineTuning>
EngineTuning chosen_tuning(const Tuning *tuning, SizeClass size) {
    if (const auto *choice = find_choice(tuning, EngineSpace<EngineTuning>::kEngine, size)) {
        if (const auto point = point_of(tuning_axes<EngineTuning>(), *choice)) {
            return tuning_at<EngineTuning>(*point);
        }
    }
    return {};
}

#define KARST_TUNING_OF(Its)                                                                       \
    template const TuningAxes &tuning_axes<Its>();                                                 \
    template Its tuning_at<Its>(const TuningPoint &);                                              \
    template Its chosen_tuning<Its>(const Tuning *, SizeClass);
KARST_TUNING_OF(cpu::LifeTuning)
KARST_TUNING_OF(cpu::LifeVolumeTuning)
KARST_TUNING_OF(cpu::PhysarumTuning)
KARST_TUNING_OF(cuda::LifeTuning)
KARST_TUNING_OF(cuda::LifeVolumeTuning)
KARST_TUNING_OF(cuda::PhysarumTuning)
#undef KARST_TUNING_OF

} // namespace karst::sim

#include "lab/seed_subject.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "core/extent.hpp"
#include "core/run.hpp"
#include "lab/tasks.hpp"
#include "sim/device_choice.hpp"
#include "sim/life.hpp"

namespace karst::lab {

namespace {

// Order is kept, and what is farthest below 0 becomes 0.
template <class T>
std::uint32_t raised(T cell) {
    const auto bits = static_cast<std::uint32_t>(cell);
    return std::is_signed_v<T> ? bits ^ 0x8000'0000u : bits;
}

template <class T>
std::vector<std::uint32_t> cells_of(std::span<const T> cells, StageCells meaning) {
    std::vector<std::uint32_t> result(cells.size());
    const bool mask = meaning == StageCells::mask;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        result[i] = mask ? (cells[i] != 0 ? 1 : 0) : raised(cells[i]);
    }
    return result;
}

// Ids and colours are no places on a scale.
bool is_measurable(const Layer &layer) {
    return layer.meaning == LayerMeaning::mask || layer.meaning == LayerMeaning::amount;
}

// `heights`: lengths are heights above or below something, and their 0 is nothing special.
void add_layer(const Layer &layer, bool heights, SightObserver &observer) {
    const StageCells meaning = layer.meaning == LayerMeaning::mask ? StageCells::mask
                               : heights && layer.unit == "m"      ? StageCells::level
                                                                   : StageCells::amount;
    std::visit(
        [&](const auto &field) {
            using Cell = typename std::decay_t<decltype(field)>::value_type;
            if constexpr (std::is_integral_v<Cell>) {
                const std::int64_t width = is_volume(layer.data) ? 0 : field.width();
                observer.add({layer.name, {}, meaning, width, cells_of(field.cells(), meaning)});
            }
        },
        layer.data);
}

const char *const kBoundaries[] = {"torus", "dead", "alive"}; // in the order of LifeBoundary

LifeBoundary boundary_of(const ParamSet &params) {
    const auto &name = std::get<std::string>(params.value("boundary"));
    const auto *const found = std::find(std::begin(kBoundaries), std::end(kBoundaries), name);
    return static_cast<LifeBoundary>(found - std::begin(kBoundaries));
}

} // namespace

bool Sight::compares_with(const Sight &other) const {
    return std::equal(fields.begin(), fields.end(), other.fields.begin(), other.fields.end(),
                      [](const SeenField &a, const SeenField &b) {
                          return a.stage == b.stage && a.step == b.step &&
                                 a.cells.size() == b.cells.size();
                      }) &&
           std::equal(numbers.begin(), numbers.end(), other.numbers.begin(), other.numbers.end(),
                      [](const SeenNumber &a, const SeenNumber &b) { return a.name == b.name; });
}

void SightObserver::see(const StageField &field) {
    SeenField seen;
    seen.stage = std::string(field.stage);
    if (!field.what.empty()) {
        seen.stage += ": " + std::string(field.what);
    }
    seen.step = field.step;
    seen.meaning = field.meaning;
    seen.width = field.extent.depth == 1 ? field.extent.width : 0;
    seen.cells =
        std::visit([&](auto cells) { return cells_of(cells, field.meaning); }, field.cells);
    add(std::move(seen));
}

void SightObserver::add(SeenField field) {
    const std::string name = field.stage;
    const auto known = [&] {
        return std::any_of(sight.fields.begin(), sight.fields.end(), [&](const SeenField &other) {
            return other.stage == field.stage && other.step == field.step;
        });
    };
    for (int number = 2; known(); ++number) {
        field.stage = name + " (" + std::to_string(number) + ")";
    }
    sight.fields.push_back(std::move(field));
}

Options quiet_options(const Options &options, StageObserver *observer) {
    Options own = options_of_task(options);
    own.observer = observer;
    return own;
}

Sight GeneratorSubject::look(std::uint64_t seed, const Options &options) const {
    SightObserver observer(steps_);
    Job job = job_;
    job.seed = seed;
    const Artifact artifact = row_.generate(job, quiet_options(options, &observer));
    for (const Layer &layer : artifact.layers) {
        if (is_measurable(layer)) {
            add_layer(layer, row_.corner_samples, observer);
        }
    }
    for (const auto &[name, value] : artifact.measures) {
        observer.sight.numbers.push_back({name, value});
    }
    return std::move(observer.sight);
}

std::span<const ParamInfo> LifeSubject::infos() {
    static const std::vector<ParamInfo> list{
        {"rule", "", ParamType::text, 0, 0, {}, std::string("B3/S23"), "The rule."},
        {"density", "fraction", ParamType::real, 0, 1, {}, 0.5, "Live cells of the soup."},
        {"boundary",
         "",
         ParamType::choice,
         0,
         0,
         {std::begin(kBoundaries), std::end(kBoundaries)},
         std::string("torus"),
         "What lies around the board."},
        {"generations", "", ParamType::integer, 0, 1e6, {}, std::int64_t{100}, "Generations."}};
    return list;
}

LifeSubject::LifeSubject(const ParamSet &params, Extent2 extent, std::vector<std::int64_t> steps)
    : rule_(parse_life_rule(std::get<std::string>(params.value("rule")))),
      density_(std::get<double>(params.value("density"))), boundary_(boundary_of(params)),
      generations_(std::get<std::int64_t>(params.value("generations"))), extent_(extent),
      steps_(std::move(steps)) {
    core::require_sides(extent);
    std::erase_if(steps_, [this](std::int64_t step) { return step >= generations_; });
    steps_.push_back(generations_);
}

Sight LifeSubject::look(std::uint64_t seed, const Options &options) const {
    const auto work = sim::work_of_life(extent_, generations_);
    return sim::on_device(options, work, [&](const Options &chosen) {
        SightObserver observer(steps_);
        const Options own = quiet_options(chosen, &observer);
        core::Run run(own);
        run.stage("life", 1, run.options().device);
        LifeBoard soup = make_soup(extent_, density_, seed, {}, quiet_options(options, nullptr));
        sim::advance(run, std::move(soup), rule_, boundary_, generations_);
        run.finish();
        return std::move(observer.sight);
    });
}

} // namespace karst::lab

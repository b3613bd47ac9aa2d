// What a seed is turned into, as fields and numbers that can be compared: the stages of a generator
// or of a simulation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <karst/observer.hpp>
#include <karst/options.hpp>
#include <karst/params.hpp>
#include <karst/simulate.hpp>

#include "generators/registry.hpp"

namespace karst::lab {

struct SeenField {
    std::string stage;                // "network 1 of 3: agents"
    std::optional<std::int64_t> step; // of a simulation
    StageCells meaning = StageCells::amount;
    std::int64_t width = 0;           // of a map; 0: a volume
    std::vector<std::uint32_t> cells; // a mask's are 0 or 1; heights are raised to be positive
};

struct SeenNumber {
    std::string name; // "plates"
    double value = 0;
};

// All that one run showed, in its order, which is the same for every seed.
struct Sight {
    std::vector<SeenField> fields;
    std::vector<SeenNumber> numbers; // of the structure, as the generator measured them

    // Whether two runs showed the same things.
    bool compares_with(const Sight &other) const;
};

// One thing whose seeds are tried.
class Subject {
public:
    virtual ~Subject() = default;
    // One run; may be called on several threads at once. Throws what the generator throws.
    virtual Sight look(std::uint64_t seed, const Options &options) const = 0;
};

// A row of the registry; the job's seed does not matter. `steps` as StageObserver::steps(). Every
// layer of the result that is a mask or an amount is looked at too.
class GeneratorSubject final : public Subject {
public:
    GeneratorSubject(const GeneratorInfo &row, Job job, std::vector<std::int64_t> steps)
        : row_(row), job_(std::move(job)), steps_(std::move(steps)) {}
    Sight look(std::uint64_t seed, const Options &options) const override;

private:
    const GeneratorInfo &row_;
    const Job job_;
    const std::vector<std::int64_t> steps_;
};

// A soup of Life and what becomes of it.
class LifeSubject final : public Subject {
public:
    // rule, density, boundary, generations.
    static std::span<const ParamInfo> infos();

    // Throws Error(invalid_argument). The last generation is looked at too.
    LifeSubject(const ParamSet &params, Extent2 extent, std::vector<std::int64_t> steps);
    Sight look(std::uint64_t seed, const Options &options) const override;

private:
    const LifeRule rule_;
    const double density_;
    const LifeBoundary boundary_;
    const std::int64_t generations_;
    const Extent2 extent_;
    std::vector<std::int64_t> steps_;
};

// Collects what a job shows.
class SightObserver final : public StageObserver {
public:
    explicit SightObserver(std::span<const std::int64_t> steps) : steps_(steps) {}
    std::span<const std::int64_t> steps() const override { return steps_; }
    void see(const StageField &field) override;
    // A second stage of one name and step is called "NAME (2)".
    void add(SeenField field);

    Sight sight;

private:
    std::span<const std::int64_t> steps_;
};

// Options for one run of many: its device, memory and cancel switch, one thread, nothing reported.
Options quiet_options(const Options &options, StageObserver *observer);

} // namespace karst::lab

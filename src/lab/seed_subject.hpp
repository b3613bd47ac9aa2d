// What a seed is turned into, as a list of numbers that can be compared: the fields of a
// generator's stages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <karst/options.hpp>
#include <karst/params.hpp>
#include <karst/simulate.hpp>

#include "generators/registry.hpp"

namespace karst::lab {

// What a field's cells are, which says how two of them are compared.
enum class CellKind {
    binary, // 0 or not
    count,  // of agents
    amount, // 0 is nothing: trails
    level,  // 0 is a height among others
};

struct SeenField {
    std::string stage;                // "network 1 of 3: agents"
    std::optional<std::int64_t> step; // of a simulation
    CellKind kind = CellKind::amount;
    std::int64_t width = 0;
    std::vector<std::uint32_t> cells;
};

struct SeenNumber {
    std::string name; // "plates"
    double value = 0;
};

// All that one run showed, in its order, which is the same for every seed.
struct Sight {
    std::vector<SeenField> fields;
    std::vector<SeenNumber> numbers; // of the structure
};

enum class Way { hamming, bray_curtis, l1, l2, structure };

struct Quantity {
    std::string stage;
    std::optional<std::int64_t> step;
    std::string distance; // "hamming", "bray_curtis", "l1", "l2"; of a structure its name
    Way way = Way::hamming;
    bool judged = false;   // one distance of each stage is
    std::size_t field = 0; // of Sight::fields, of a structure of Sight::numbers
};

// One thing whose seeds are tried.
class Subject {
public:
    virtual ~Subject() = default;
    // One run; may be called on several threads at once. Throws what the generator throws.
    virtual Sight look(std::uint64_t seed, const Options &options) const = 0;
};

// A row of the registry. `job.seed` does not matter. `steps` of each simulation are looked at
// besides its end, as far as it has as many; 0: the agents as they are spawned, the cells of a
// soup. Rising.
class GeneratorSubject final : public Subject {
public:
    GeneratorSubject(const GeneratorInfo &row, Job job, std::vector<std::int64_t> steps)
        : row_(row), job_(std::move(job)), steps_(std::move(steps)) {}
    Sight look(std::uint64_t seed, const Options &options) const override;

private:
    const GeneratorInfo &row_;
    Job job_;
    std::vector<std::int64_t> steps_;
};

// A soup of Life and what becomes of it.
class LifeSubject final : public Subject {
public:
    LifeSubject(const ParamSet &params, Extent2 extent, std::vector<std::int64_t> steps);
    Sight look(std::uint64_t seed, const Options &options) const override;

    // rule, density, boundary, generations.
    static std::span<const ParamInfo> infos();

private:
    LifeRule rule_;
    double density_;
    LifeBoundary boundary_;
    std::int64_t generations_;
    Extent2 extent_;
    std::vector<std::int64_t> steps_;
};

// How the fields and numbers of a subject are compared; `sight` is of any seed.
std::vector<Quantity> quantities_of(const Sight &sight);

// Of a place the distance of two runs' fields; of a structure the number of `u`.
double measured(const Quantity &quantity, const Sight &u, const Sight &v);

} // namespace karst::lab

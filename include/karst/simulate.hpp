// The two simulations by themselves: Physarum (slime mould) and Life-like automata.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <utility>

#include <karst/controls.hpp>
#include <karst/field.hpp>
#include <karst/options.hpp>

namespace karst {

enum class Boundary { torus, bounded };
enum class BothSides { random, larger };
// How an agent chooses among its sensors. strongest: as Jones 2010. sampled: it compares the front
// with one side sensor, chosen at random, and turns there with probability d1^s / (d0^s + d1^s) of
// the readings d0, d1 (Elek et al. 2022, Artificial Life 28(1)). softmax: it follows each sensor
// with a probability in proportion to e^(s d). s is `sharpness`.
enum class Steering { strongest, sampled, softmax };
enum class Spawn { uniform, disc, ring, edges };

// Names and meaning after Jones 2010, "Characteristics of pattern formation and evolution in
// approximations of Physarum transport networks", Artificial Life 16(2).
struct PhysarumParams {
    double sensor_angle = 22.5;  // degrees between the front and a side sensor
    double rotation_angle = 45;  // degrees an agent turns in a step
    double sensor_offset = 9;    // cells from the agent to its sensors
    double step_size = 1;        // cells an agent moves in a step
    double deposit = 5;          // trail an agent adds to its cell in a step
    double retain = 0.9;         // fraction of the trail kept in a step
    double food_strength = 5;    // trail that white food adds to a cell in a step; negative: repels
    double agent_density = 0.15; // agents a cell of the spawn area, if agent_count is 0
    std::int64_t agent_count = 0; // agents in all; 0: by density
    std::int64_t steps = 200;
    BothSides both_sides = BothSides::random; // strongest: turn when both side sensors read more
                                              // than the front, at random or to the larger
    Steering steering = Steering::strongest;
    double sharpness = 4; // of sampled: exponent; of softmax: per unit of trail
    Boundary boundary = Boundary::torus;
    Spawn spawn = Spawn::uniform;
    double spawn_radius = 0.5; // of disc and ring: fraction of half the shorter side
    double spawn_width = 4;    // of ring and edges, in cells
    bool birth_time = false;   // keep when each cell was first reached
};

struct PhysarumResult {
    Field2D<std::uint32_t> trail;      // 16 fraction bits
    Field2D<std::uint16_t> birth_time; // step (1 = first) of the first deposit, 0: never, at most
                                       // 65535; empty unless asked for
    std::int64_t agents = 0;
    std::uint64_t agents_digest = 0; // sum modulo 2^64 of XXH3-64(id, state)
};

// Throws Error(invalid_argument) for a parameter outside its range (karst params physarum), a side
// outside 1 to 2^27 and more than 256 agents a cell; Error(out_of_memory), Error(no_device),
// Error(device_failure), Error(cancelled). Time: O(steps * (agents + cells)).
KARST_API PhysarumResult simulate_physarum(const PhysarumParams &params, Extent2 extent,
                                           std::uint64_t seed, const Options &options = {});
// Steered by maps. Also Error(invalid_argument) for a map's side outside 1 to 65536 and for a value
// of black or white outside the parameter's range.
KARST_API PhysarumResult simulate_physarum(const PhysarumParams &params,
                                           const PhysarumControls &controls, Extent2 extent,
                                           std::uint64_t seed, const Options &options = {});

// The same in three dimensions. The side sensors are four, a quarter turn apart on a cone around
// the front; the cone is rolled at random in each step, and an agent turns towards the sensor that
// reads most, or as `steering` says.
struct Physarum3Params {
    double sensor_angle = 22.5;  // degrees between the front and each side sensor
    double rotation_angle = 45;  // degrees an agent turns in a step
    double sensor_offset = 9;    // cells from the agent to its sensors
    double step_size = 1;        // cells an agent moves in a step
    double deposit = 5;          // trail an agent adds to its cell in a step
    double retain = 0.9;         // fraction of the trail kept in a step
    double food_strength = 5;    // trail that white food adds to a cell in a step; negative: repels
    double agent_density = 0.15; // agents a cell of the spawn area, if agent_count is 0
    std::int64_t agent_count = 0; // agents in all; 0: by density
    std::int64_t steps = 200;
    Steering steering = Steering::strongest;
    double sharpness = 4; // of sampled: exponent; of softmax: per unit of trail
    Boundary boundary = Boundary::torus;
    Spawn spawn = Spawn::uniform; // disc: a ball, ring: a shell, edges: along the faces
    double spawn_radius = 0.5;    // of ball and shell: fraction of half the shortest side
    double spawn_width = 4;       // of shell and faces, in cells
    bool birth_time = false;      // keep when each cell was first reached
};

struct Physarum3Result {
    Field3D<std::uint32_t> trail;      // 16 fraction bits
    Field3D<std::uint16_t> birth_time; // as in PhysarumResult
    std::int64_t agents = 0;
    std::uint64_t agents_digest = 0; // sum modulo 2^64 of XXH3-64(id, state)
};

// As in two dimensions, with sides of 1 to 2^17.
KARST_API Physarum3Result simulate_physarum(const Physarum3Params &params, Extent3 extent,
                                            std::uint64_t seed, const Options &options = {});
KARST_API Physarum3Result simulate_physarum(const Physarum3Params &params,
                                            const PhysarumControls &controls, Extent3 extent,
                                            std::uint64_t seed, const Options &options = {});

enum class LifeBoundary { torus, dead, alive };

// An outer-totalistic rule: bit n is set if a cell with n of 8 live neighbours is born, survives.
struct LifeRule {
    std::uint16_t birth = 1 << 3;
    std::uint16_t survive = (1 << 2) | (1 << 3);
    friend constexpr bool operator==(const LifeRule &, const LifeRule &) = default;
};

// "B3/S23", also lower case and "_" or nothing for "/"; "23/3" is survival/birth. Throws
// Error(invalid_argument) for other notations.
KARST_API LifeRule parse_life_rule(std::string_view text);
KARST_API std::string to_string(LifeRule rule); // "B3/S23"

// One bit a cell of an area or a volume: cell (x, y, ...) is bit x % 64 of word (x / 64, y, ...);
// bits beyond the width are 0.
template <class Extent>
class LifeCells {
public:
    LifeCells() = default;
    explicit LifeCells(Extent extent,
                       std::pmr::memory_resource *memory = std::pmr::get_default_resource())
        : extent_(extent), words_(in_words(extent), memory) {}

    ~LifeCells() = default;
    LifeCells(const LifeCells &) = default;
    LifeCells &operator=(const LifeCells &) = default;
    // What was moved from is empty.
    LifeCells(LifeCells &&other) noexcept
        : extent_(std::exchange(other.extent_, {})), words_(std::move(other.words_)) {}
    LifeCells &operator=(LifeCells &&other) noexcept {
        words_ = std::move(other.words_);
        extent_ = std::exchange(other.extent_, {});
        return *this;
    }

    Extent extent() const noexcept { return extent_; }
    // alive(x, y) or alive(x, y, z)
    template <class... Coordinates>
    bool alive(std::int64_t x, Coordinates... rest) const noexcept {
        return (words_.at(x >> 6, rest...) >> (x & 63)) & 1;
    }
    void set(std::int64_t x, std::int64_t y,
             bool alive) noexcept requires std::same_as<Extent, Extent2> {
        set_bit(words_.at(x >> 6, y), x & 63, alive);
    }
    void set(std::int64_t x, std::int64_t y, std::int64_t z,
             bool alive) noexcept requires std::same_as<Extent, Extent3> {
        set_bit(words_.at(x >> 6, y, z), x & 63, alive);
    }
    std::int64_t population() const noexcept {
        std::int64_t count = 0;
        for (const std::uint64_t word : words_.cells()) {
            count += std::popcount(word);
        }
        return count;
    }
    // ceil(width / 64) words a row.
    const Field<std::uint64_t, Extent> &words() const noexcept { return words_; }
    Field<std::uint64_t, Extent> &words() noexcept { return words_; }

    friend bool operator==(const LifeCells &, const LifeCells &) = default;

private:
    static Extent in_words(Extent extent) noexcept {
        extent.width = (extent.width + 63) / 64;
        return extent;
    }
    static void set_bit(std::uint64_t &word, std::int64_t place, bool alive) noexcept {
        const std::uint64_t bit = std::uint64_t{1} << place;
        word = alive ? word | bit : word & ~bit;
    }

    Extent extent_;
    Field<std::uint64_t, Extent> words_;
};
using LifeBoard = LifeCells<Extent2>;

// Each cell alive with probability `density` (0 to 1), drawn from the seed and the cell's absolute
// coordinates; `origin` is the absolute cell of (0, 0). Throws Error(invalid_argument) for another
// density and for a side outside 1 to 2^27, Error(out_of_memory), Error(cancelled).
KARST_API LifeBoard make_soup(Extent2 extent, double density, std::uint64_t seed, Cell2 origin = {},
                              const Options &options = {});
// The density of each cell is `density` times the map's value there (65535 = 1); the map has 1 to
// 65536 cells a side and is brought to the extent.
KARST_API LifeBoard make_soup(Extent2 extent, double density, const Field2D<std::uint16_t> &map,
                              std::uint64_t seed, Cell2 origin = {}, const Options &options = {});

// Advances `board` by `generations`. Throws Error(invalid_argument), Error(out_of_memory),
// Error(no_device), Error(device_failure), Error(cancelled).
KARST_API LifeBoard simulate_life(const LifeBoard &board, LifeRule rule, LifeBoundary boundary,
                                  std::int64_t generations, const Options &options = {});

// XXH3-64 of each row of words in little-endian bytes, then of the row digests.
KARST_API std::uint64_t digest(const LifeBoard &board);

} // namespace karst

// Looking at what the stages of a job make, for studies of how a result comes about.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include <karst/config.hpp>
#include <karst/field.hpp>

namespace karst {

// What the cells of a field are.
enum class StageCells {
    mask,   // 0 or not
    count,  // of agents
    amount, // 0 is nothing: trails, depths
    level,  // 0 is one height among others
};

// A field that a stage made. Its cells live as long as the call.
struct StageField {
    std::string_view stage;           // "network 1 of 3"
    std::string_view what;            // "agents"; empty: the stage's result
    std::optional<std::int64_t> step; // of a simulation, after so many
    StageCells meaning = StageCells::amount;
    Extent3 extent; // depth 1 of a map
    std::variant<std::span<const std::uint8_t>, std::span<const std::uint16_t>,
                 std::span<const std::uint32_t>, std::span<const std::int32_t>>
        cells;
};

class KARST_API StageObserver {
public:
    virtual ~StageObserver() = default;
    // Steps of each simulation, rising, after which its field is shown besides its end, as far as
    // it has as many. 0: the agents of each cell as they are spawned, the cells of a soup. Each
    // copies a field from the device of the simulation.
    virtual std::span<const std::int64_t> steps() const = 0;
    // Called on the thread of the job, in one order. A job with an automatic device that has to
    // begin again elsewhere shows all again.
    virtual void see(const StageField &field) = 0;
};

} // namespace karst

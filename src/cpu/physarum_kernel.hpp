// What the loops over agents and cells of a map are made of, compiled once for each instruction
// set: plain loops over arrays that compilers turn into vectors.
#pragma once

#include <cstdint>

namespace karst::cpu {

// Agents of a map without painted maps, Steering::strongest. Positions are Q16.16 cells from the
// corner of the map in 31 bits, so that sides are at most kLongestSide cells and sensors look at
// most a side far.
inline constexpr std::int32_t kLongestSide = 1 << 14;

struct Offset { // Q16.16 cells
    std::int32_t x, y;
};

struct AgentGround {
    const std::uint32_t *trail;
    std::int32_t width, height;
    bool torus;
    bool to_larger;
    std::uint16_t sensor_angle, rotation_angle;
    const Offset *sensor; // in each direction of core::directions()
    const Offset *step;
};

// Some agents, and what becomes of them between the loops.
inline constexpr std::int64_t kBatch = 256;
inline constexpr std::int32_t kTurnAtRandom = 2;

struct AgentBatch {
    std::int32_t *x; // kBatch agents
    std::int32_t *y;
    std::uint16_t *heading;
    std::uint32_t direction[kBatch];
    Offset ahead[kBatch];
    std::int32_t cell[kBatch]; // of a sensor, then of the deposit; -1 if there is none
    std::uint32_t reading[3][kBatch];
    std::int32_t turn[kBatch]; // -1 left, 0, 1 right, kTurnAtRandom
};

struct PhysarumKernel {
    const char *name; // of the instruction set
    // Senses and fills `turn`.
    void (*sense)(const AgentGround &, AgentBatch &);
    // Turns by `turn`, now -1, 0 or 1, moves, and fills `cell`. A blocked agent only turns.
    void (*move)(const AgentGround &, AgentBatch &);
    // The trail of `width` cells with their deposits, if no count has bits beyond kFewCounts: gives
    // the bits of all counts, and those of the folded cells.
    struct Bits {
        std::uint32_t counts, folded;
    };
    Bits (*fold)(const std::uint32_t *trail, const std::uint32_t *count, std::uint32_t deposit,
                 std::uint32_t *folded, std::int64_t width);
    // The new trail from three folded rows with a cell more at both ends, whose bits are all in
    // kLittleTrail. `columns` has width + 2 cells.
    void (*diffuse)(const std::uint32_t *const folded[3], std::uint32_t retain_share,
                    std::uint32_t *columns, std::uint32_t *trail, std::int64_t width);
};

inline constexpr std::uint32_t kFewCounts = 63;          // times a deposit, below 2^26: 32 bits
inline constexpr std::uint32_t kLittleTrail = 0xfffffff; // nine of them: 32 bits

extern const PhysarumKernel kPhysarumBaseline;
#if defined(__x86_64__)
extern const PhysarumKernel kPhysarumAvx2;
extern const PhysarumKernel kPhysarumAvx512;
#endif

} // namespace karst::cpu

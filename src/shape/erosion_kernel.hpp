// The loops over rows of heights, compiled once for each instruction set: plain loops over arrays
// that compilers turn into vectors. All in double, which holds every product exactly.
#pragma once

#include <cstdint>
#include <vector>

namespace karst::shape {

// 2^16 over the lengths from a cell's point to those of its neighbours to the right, to the lower
// right, below and to the lower left; the other four are these of other cells.
struct LinkRows {
    const float *right, *lower_right, *below, *lower_left;
};

inline constexpr std::uint8_t kTied = 16; // added to a step: another one is as steep

struct CreepShares {
    double diffusion, slide, talus; // of 1; 1/4096 m
};

struct ErosionKernel {
    const char *name; // of the instruction set
    // step = the steepest way down from cells [1, width - 1) of a row inside the map, the first of
    // equals with kTied added; 8 if there is none. rows: above, the row itself, below. links: of
    // the row above and of the row itself.
    void (*descend)(const std::int32_t *const rows[3], const LinkRows links[2], std::int64_t width,
                    std::uint8_t *step);
    // flow[i] = what cell a[i] takes from b[i]. `steepness` scales the talus by the mean of both, 8
    // fraction bits; null: 1.
    void (*exchange)(const std::int32_t *a, const std::int32_t *b, const std::uint16_t *steep_a,
                     const std::uint16_t *steep_b, const CreepShares &shares, std::int64_t count,
                     std::int32_t *flow);
};

extern const ErosionKernel kErosionBaseline;
#if defined(__x86_64__)
extern const ErosionKernel kErosionAvx2;
extern const ErosionKernel kErosionAvx512;
#endif

// Those that this machine can run, the fastest last.
std::vector<const ErosionKernel *> erosion_kernels();

} // namespace karst::shape

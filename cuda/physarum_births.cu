// The births of a map on CUDA, a thread a cell.
#include "claim.cuh"
#include "overlap.cuh"
#include "physarum_births.cuh"

namespace karst::cuda {

namespace {

constexpr unsigned kBirthThreads = 256;

// f(place, agents) for each cell of a map in which some may be born.
template <class F>
__device__ void for_births(const rules::Births &births, F &&f) {
    const std::int64_t cells = births.side[0] * births.side[1];
    const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < cells;
         i += stride) {
        const std::int64_t y = i / births.side[0];
        const std::int64_t x = i - y * births.side[0];
        if (births.holds(x, y, 0)) {
            const rules::BirthPlace place = births.place(x, y, 0);
            f(place, births.agents(place, rules::kWholeWeight));
        }
    }
}

__global__ void __launch_bounds__(kBirthThreads)
    count_agents(rules::Births births, std::uint32_t *count) {
    std::uint32_t mine = 0;
    for_births(births, [&](const rules::BirthPlace &, std::int64_t agents) {
        mine += static_cast<std::uint32_t>(agents);
    });
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        mine += __shfl_down_sync(~0u, mine, offset);
    }
    if (threadIdx.x % 32 == 0 && mine > 0) {
        atomicAdd(count, mine);
    }
}

__global__ void __launch_bounds__(kBirthThreads)
    place_agents(rules::Births births, rules::PhysarumRule rule, std::uint32_t *cursor,
                 rules::Agent *__restrict__ agents, std::uint64_t *__restrict__ ids) {
    for_births(births, [&](const rules::BirthPlace &place, std::int64_t number) {
        for (std::int64_t slot = 0; slot < number; ++slot) {
            const std::uint32_t i = claim(cursor, __activemask());
            agents[i] = rules::born(rule, place, births.draw(place, slot, 1), nullptr);
            ids[i] = rules::agent_id(rule, place, slot);
        }
    });
}

// Blocks whose threads go over `each` cells of a map.
unsigned birth_blocks(const rules::Births &births, unsigned each) {
    return blocks_for(births.side[0] * births.side[1], each * kBirthThreads);
}

} // namespace

std::uint32_t count_births(const rules::Births &births, const Stream &stream) {
    Buffer<std::uint32_t> counter(1, stream);
    counter.clear(stream);
    launch(count_agents, {birth_blocks(births, 8), kBirthThreads}, stream, births, counter.data());
    std::uint32_t count = 0;
    counter.download({&count, 1}, stream);
    stream.synchronize();
    return count;
}

void give_birth(const rules::Births &births, const rules::PhysarumRule &rule, rules::Agent *agents,
                std::uint64_t *ids, const Stream &stream) {
    Buffer<std::uint32_t> cursor(1, stream);
    cursor.clear(stream);
    launch(place_agents, {birth_blocks(births, 1), kBirthThreads}, stream, births, rule,
           cursor.data(), agents, ids);
    stream.synchronize(); // the cursor is given back
}

} // namespace karst::cuda

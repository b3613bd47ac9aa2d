// Agents sorted by tile, on the host's side: their memory and the launches that sort them.
#pragma once

#include "overlap.cuh"
#include "physarum_bins.cuh"
#include "physarum_births.cuh"
#include "resources.cuh"
#include "sim/physarum.hpp"

namespace karst::cuda {

class SortedAgents {
public:
    SortedAgents() = default;
    // Sorts the `count` agents that a state begins with. `tiles_of_agents`: tiles() is wanted.
    SortedAgents(const sim::PhysarumState &state, std::size_t count,
                 const rules::PhysarumRule &rule, const Tiling &tiling, bool tiles_of_agents,
                 const Stream &stream)
        : tiling_(tiling), count_(count), stream_(stream) {
        const std::size_t tiles = tiling.tiles();
        for (Bins &bins : bins_) {
            bins.agents = Buffer<uint2>(count_, stream);
            bins.ids = Buffer<std::uint64_t>(count_, stream);
            bins.tiles = Buffer<std::uint32_t>(tiles_of_agents ? count_ : 0, stream);
            bins.first = Buffer<std::uint32_t>(tiles + 1, stream);
        }
        counts_ = Buffer<std::uint32_t>(tiles, stream);
        counts_.clear(stream);
        moved_ = Buffer<std::uint32_t>(tiles * kAround, stream);
        cursor_ = Buffer<std::uint32_t>(tiles, stream);
        load(count_tiles, sum_up, scatter_tiles);

        const NewAgents fresh(state, rule, count, stream);
        const StateAgents from{fresh.agents.data(), static_cast<std::int64_t>(count), rule.origin_x,
                               rule.origin_y};
        const Grid grid{blocks_for(from.count, kBinThreads), kBinThreads};
        launch(count_state, grid, stream, from, tiling, counts_.data());
        sum_up_counts(bins_[0]);
        launch(scatter_state, grid, stream, from, fresh.ids.data(), tiling, cursor_.data(),
               bins_[0].target());
        stream.synchronize(); // `fresh` is given back
    }

    std::size_t size() const noexcept { return count_; }
    // Bytes on the device.
    std::uint64_t memory() const noexcept {
        const std::uint64_t tiles = counts_.size();
        return 2 * count_ * (sizeof(uint2) + sizeof(std::uint64_t)) +
               2 * bins_[0].tiles.size() * sizeof(std::uint32_t) +
               tiles * (4 + kAround) * sizeof(std::uint32_t);
    }
    // Which of two places in memory hold the agents; the next sort() goes to the other.
    unsigned side() const noexcept { return side_; }
    uint2 *agents() const noexcept { return bins_[side_].agents.data(); }
    const std::uint64_t *ids() const noexcept { return bins_[side_].ids.data(); }
    const std::uint32_t *first() const noexcept { return bins_[side_].first.data(); } // of a tile
    const std::uint32_t *tiles() const noexcept { return bins_[side_].tiles.data(); } // of an agent

    // Sorts them again; they may have drifted by tiling.drift cells since the last time.
    void sort() {
        const Bins &from = bins_[side_];
        const Bins &to = bins_[1 - side_];
        launch(count_tiles, grid(), stream_, from.view(), tiling_, counts_.data(), moved_.data());
        sum_up_counts(to);
        launch(scatter_tiles, grid(), stream_, from.view(), from.ids.data(), tiling_, moved_.data(),
               cursor_.data(), to.target());
        side_ = 1 - side_;
    }

    // Brings them back to a state. Synchronises the stream.
    void download(sim::PhysarumState &state, const rules::PhysarumRule &rule) const {
        const Bins &bins = bins_[side_];
        resize_agents(state, count_);
        const Buffer<rules::Agent> agents(count_);
        launch(unpack_agents, grid(), stream_, bins.view(), tiling_, rule.origin_x, rule.origin_y,
               agents.data());
        agents.download(state.agents, stream_);
        bins.ids.download(state.ids, stream_);
        KARST_CUDA_CHECK(cudaStreamSynchronize(stream_));
    }

private:
    struct Bins {
        Buffer<uint2> agents;
        Buffer<std::uint64_t> ids;
        Buffer<std::uint32_t> tiles;
        Buffer<std::uint32_t> first;

        TileAgents view() const { return {agents.data(), first.data()}; }
        SortedTo target() const { return {agents.data(), ids.data(), tiles.data()}; }
    };

    Grid grid() const { return {blocks_for(tiling_.tiles(), 1), kBinThreads}; }

    void sum_up_counts(const Bins &target) {
        launch(sum_up, {1, kScanThreads}, stream_, counts_.data(), target.first.data(),
               cursor_.data(), tiling_.tiles());
    }

    Tiling tiling_{};
    std::size_t count_ = 0;
    cudaStream_t stream_ = nullptr; // of the engine
    Bins bins_[2];                  // sorting goes from one to the other
    unsigned side_ = 0;
    Buffer<std::uint32_t> counts_; // of agents a tile, 0 between sortings
    Buffer<std::uint32_t> moved_;  // from each tile to those around it
    Buffer<std::uint32_t> cursor_; // where the next one that comes to a tile is put
};

} // namespace karst::cuda

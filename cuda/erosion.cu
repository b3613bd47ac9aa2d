// Erosion on CUDA: the fields of a level stay on the device for all passes and until the next level
// is made of them.
#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>

#include "core/memory.hpp"
#include "erosion_cut.cuh"
#include "erosion_levels.cuh"
#include "kernel_timer.cuh"
#include "resources.cuh"
#include "sim/erosion.hpp"
#include "staging.cuh"

namespace karst::cuda {

namespace {

class CudaErosion final : public sim::ErosionEngine {
public:
    CudaErosion(core::Run &run, Device device, const sim::Soil &soil, const sim::Bedrock &bedrock)
        : run_(run), device_(device), bedrock_(bedrock), strata_(bedrock_.strata),
          seed_(bedrock.seed), stream_(device.ordinal), staging_(run) {
        const CurrentDevice current(device_.ordinal);
        for (std::size_t i = 0; i < bedrock.networks.size(); ++i) {
            const rules::NetworkView &network = bedrock.networks[i];
            const auto cells = network.distance == nullptr
                                   ? std::size_t{0}
                                   : static_cast<std::size_t>(network.width * network.height);
            distances_[i] = Buffer<std::uint32_t>(cells);
            if (cells != 0) {
                staging_.upload(std::span(network.distance, cells), distances_[i], stream_);
            }
            networks_.of[i] = network;
            networks_.of[i].distance = distances_[i].data();
        }
        range_ = Buffer<std::int32_t>(2);
        begin_level(soil.heights.extent());
        ground_[0].upload(soil.heights.cells(), stream_);
        outlets_.upload(soil.outlets.cells(), stream_);
        if (!soil.uplift.empty()) {
            uplift_.upload(soil.uplift.cells(), stream_);
            softness_.upload(soil.softness.cells(), stream_);
        }
        stream_.synchronize();
    }

    void refine(Field2D<std::uint8_t> outlets, int depth, std::int32_t noise) override {
        const CurrentDevice current(device_.ordinal);
        const TileMap coarse = map_;
        const Buffer<std::int32_t> from = std::move(ground_[now_]);
        begin_level(outlets.extent());
        staging_.upload(std::span<const std::uint8_t>(outlets.cells()), outlets_, stream_);
        KernelTimer timer(run_.options().kernels, stream_);
        refine_heights<<<strips(), kSlopeThreads, 0, stream_>>>(
            coarse, map_, from.data(), now(), outlets_.data(), seed_, depth, noise);
        launched(timer, "refine", 6);
        finish(timer);
    }

    void warp(int depth, std::uint32_t time) override {
        const CurrentDevice current(device_.ordinal);
        KernelTimer timer(run_.options().kernels, stream_);
        WarpMoves moves;
        for (int i = 0; i < 4; ++i) {
            const int bits = rules::warp_bits(i);
            const std::int64_t width = ((map_.width - 1) >> bits) + 2;
            const std::int64_t number = width * (((map_.height - 1) >> bits) + 2);
            Buffer<std::int16_t> &draws = draws_[i];
            if (draws.size() < static_cast<std::size_t>(number)) {
                draws = Buffer<std::int16_t>(static_cast<std::size_t>(number));
            }
            draw_moves<<<blocks_for(number, 256), 256, 0, stream_>>>(
                seed_, depth, rules::kWarpDraw + 4 * time + static_cast<unsigned>(i), width, number,
                draws.data());
            launched(timer, "warp draws", 0);
            moves.of[i] = {draws.data(), 0, 0, width, bits};
        }
        warp_heights<<<strips(), kSlopeThreads, 0, stream_>>>(map_, moves, now(), other());
        launched(timer, "warp", 8);
        now_ = 1 - now_;
        finish(timer);
    }

    void shape_soil(int level) override {
        const CurrentDevice current(device_.ordinal);
        KernelTimer timer(run_.options().kernels, stream_);
        cuda::shape_soil<<<strips(), kSlopeThreads, 0, stream_>>>(
            map_, networks_, bedrock_.relief, level, uplift_.data(), softness_.data());
        launched(timer, "soil", 4);
        finish(timer);
    }

    sim::HeightRange range() override {
        const CurrentDevice current(device_.ordinal);
        std::int32_t range[2] = {INT32_MAX, INT32_MIN};
        range_.upload(range, stream_);
        KernelTimer timer(run_.options().kernels, stream_);
        find_range<<<std::min(4096u, blocks_for(extent_.cells(), kTileThreads)), kTileThreads, 0,
                     stream_>>>(extent_.cells(), now(), range_.data());
        launched(timer, "range", 4);
        range_.download(range, stream_);
        finish(timer);
        return {range[0], range[1]};
    }

    void rescale(std::int64_t bottom, std::int64_t range, std::int64_t wanted) override {
        const CurrentDevice current(device_.ordinal);
        KernelTimer timer(run_.options().kernels, stream_);
        rescale_heights<<<blocks_for(extent_.cells(), kTileThreads), kTileThreads, 0, stream_>>>(
            extent_.cells(), bottom, range, wanted, now());
        launched(timer, "rescale", 8);
        finish(timer);
    }

    void pass(const rules::ErosionPass &pass) override {
        const CurrentDevice current(device_.ordinal);
        KernelTimer timer(run_.options().kernels, stream_);
        level(timer, -1);
        find_filled(timer);
        find_water(timer, other());
        const std::uint16_t *softness = softness_.data();
        const std::uint16_t *steepness = nullptr;
        if (strata_.any()) {
            set_rock<<<strips(), kSlopeThreads, 0, stream_>>>(
                map_, strata_, now(), softness_.data(), rock_[0].data(), rock_[1].data());
            launched(timer, "rock", 10);
            softness = rock_[0].data();
            steepness = rock_[1].data();
        }
        // The last pass raises the ground too; without creep one that moves nothing else.
        const int creeps = std::max(1, pass.creeps);
        const rules::Creep rule = pass.creeps > 0 ? pass.creep : rules::Creep{};
        for (int i = 0; i < creeps; ++i) {
            const bool last = i + 1 == creeps;
            const CreepPass creep{rules::creep_link(rule, false), rules::creep_link(rule, true),
                                  pass.carrying, pass.lift};
            creep_and_rise<<<strips(), kSlopeThreads, 0, stream_>>>(
                map_, creep, now(), other(), areas_.data(), outlets_.data(),
                last ? uplift_.data() : nullptr, steepness);
            launched(timer, "creep", 13 + (last ? 2 : 0));
            now_ = 1 - now_;
        }
        std::uint16_t *const steep = strata_.any() ? steep_.data() : nullptr;
        std::uint16_t *const stem_steep = strata_.any() ? stem_steep_.data() : nullptr;
        write_records<<<tiles(), kTileThreads, 0, stream_>>>(map_, pass.power, now(), areas_.data(),
                                                             softness, steepness, places_.data(),
                                                             records_.data(), steep);
        launched(timer, "records", 22);
        write_stems<<<tiles(), kTileThreads, 0, stream_>>>(
            map_, pass.power, now(), areas_.data(), steps_.data(), softness, steepness, nodes(),
            stem_records_.data(), stem_steep);
        launched(timer, "stems", 0);
        const CutFields fields{records_.data(), steep, stem_records_.data(), stem_steep};
        cut_rivers<<<resident_blocks(cut_rivers, kCutThreads), kCutThreads, 0, stream_>>>(
            pass.power, fields, nodes(), below_.data(), 2 * node_count());
        launched(timer, "cut", 12);
        read_records<<<tiles(), kTileThreads, 0, stream_>>>(map_, places_.data(), records_.data(),
                                                            now());
        launched(timer, "cut heights", 16);
        if (pass.planing > 0) {
            plane_banks<<<strips(), kSlopeThreads, 0, stream_>>>(
                map_, pass.planing, pass.rise, pass.plane, now(), areas_.data(), steps_.data());
            launched(timer, "banks", 4);
        }
        finish(timer);
    }

    void fill() override {
        const CurrentDevice current(device_.ordinal);
        KernelTimer timer(run_.options().kernels, stream_);
        find_filled(timer);
        raise_ground<<<blocks_for(extent_.cells(), 256), 256, 0, stream_>>>(extent_.cells(),
                                                                            other(), now());
        launched(timer, "raise", 12);
        finish(timer);
    }

    void level_outlets(std::int32_t drop) override {
        const CurrentDevice current(device_.ordinal);
        KernelTimer timer(run_.options().kernels, stream_);
        level(timer, drop);
        finish(timer);
    }

    sim::Water route() override {
        const CurrentDevice current(device_.ordinal);
        KernelTimer timer(run_.options().kernels, stream_);
        clear_queues();
        find_water(timer, nullptr);
        sim::Water water{core::unset_field<std::uint8_t>(run_, extent_),
                         core::unset_field<std::uint32_t>(run_, extent_)};
        finish(timer);
        staging_.download(steps_, water.step.cells(), stream_);
        staging_.download(areas_, water.area.cells(), stream_);
        return water;
    }

    Field2D<std::int32_t> copy() override {
        const CurrentDevice current(device_.ordinal);
        auto heights = core::unset_field<std::int32_t>(run_, extent_);
        staging_.download(ground_[now_], heights.cells(), stream_);
        return heights;
    }

    Field2D<std::int32_t> take() override { return copy(); }

private:
    // Room for a level, and what does not change while it erodes.
    void begin_level(Extent2 extent) {
        extent_ = extent;
        map_ = tile_map(extent.width, extent.height);
        now_ = 0;
        const auto cells = static_cast<std::size_t>(extent.cells());
        const auto tiles = static_cast<std::size_t>(map_.tiles());
        const auto nodes = tiles * kTileThreads;
        const auto renew = [](auto &buffer, std::size_t size) {
            buffer = {};
            buffer = std::remove_cvref_t<decltype(buffer)>(size);
        };
        for (auto &ground : ground_) {
            renew(ground, cells);
        }
        renew(outlets_, cells);
        renew(uplift_, cells);
        renew(softness_, cells);
        for (auto &link : links_) {
            renew(link, cells);
        }
        renew(steps_, cells);
        renew(areas_, cells);
        renew(places_, tiles * kTileCells);
        for (auto &of_node : of_nodes_) {
            renew(of_node, nodes);
        }
        for (auto &flow : flow_) {
            renew(flow, nodes);
        }
        renew(ready_, 2 * nodes);
        renew(below_, nodes);
        renew(records_, tiles * kTileCells);
        renew(stems_, tiles * kStemCells);
        renew(stem_records_, tiles * kStemCells);
        renew(stem_numbers_, tiles);
        renew(has_caught_, tiles);
        renew(queued_, tiles);
        renew(entries_, std::bit_ceil(tiles + 1));
        renew(queues_, 2);
        if (strata_.any()) {
            for (auto &rock : rock_) {
                renew(rock, cells);
            }
            renew(steep_, tiles * kTileCells);
            renew(stem_steep_, tiles * kStemCells);
        }
        stems_.clear(stream_); // places of which no tree makes use are read all the same
        KernelTimer timer(run_.options().kernels, stream_);
        find_links<<<strips(), kSlopeThreads, 0, stream_>>>(
            map_, seed_, links_[0].data(), links_[1].data(), links_[2].data(), links_[3].data());
        launched(timer, "links", 16);
        finish(timer);
    }

    std::int32_t *now() { return ground_[now_].data(); }
    std::int32_t *other() { return ground_[1 - now_].data(); }
    unsigned tiles() const { return static_cast<unsigned>(map_.tiles()); }
    std::uint32_t node_count() const { return tiles() * kTileThreads; }
    dim3 strips() const {
        return dim3(static_cast<unsigned>((map_.width - 1) / kSlopeThreads + 1),
                    static_cast<unsigned>(
                        std::min((map_.height - 1) / kStripRows + 1, 65535))); // of a grid
    }
    Links links() const {
        return {{links_[0].data(), links_[1].data(), links_[2].data(), links_[3].data()}};
    }
    Nodes nodes() const {
        const auto &of = of_nodes_;
        return {.beyond = of[0].data(),
                .place = of[1].data(),
                .begin = of[2].data(),
                .next = of[3].data(),
                .rank = of[4].data(),
                .number = of[5].data(),
                .first = of[6].data(),
                .hanging = of[7].data(),
                .flow = flow_[0].data(),
                .largest = flow_[1].data(),
                .inflow = of[8].data(),
                .rim = of[9].data(),
                .ready = ready_.data(),
                .stem = of[10].data(),
                .stems = stems_.data(),
                .of_tile = stem_numbers_.data(),
                .queue = queues_.data() + 1};
    }

    // As many blocks as the device holds at once: more would wait for a place, not for work.
    template <class Kernel>
    unsigned resident_blocks(Kernel kernel, unsigned threads) const {
        int blocks = 0;
        KARST_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, kernel, static_cast<int>(threads), 0));
        return static_cast<unsigned>(std::max(1, blocks * multiprocessors(device_)));
    }

    void launched(KernelTimer &timer, const char *name, std::uint64_t bytes_a_cell) const {
        KARST_CUDA_CHECK(cudaGetLastError());
        timer.launched(name, bytes_a_cell * ground_[0].size(), 0);
    }

    void finish(KernelTimer &timer) {
        stream_.synchronize();
        std::vector<KernelTime> *const kernels = run_.options().kernels;
        const std::size_t known = kernels == nullptr ? 0 : kernels->size();
        timer.finish();
        for (std::size_t i = known; kernels != nullptr && i < kernels->size(); ++i) {
            (*kernels)[i].device = to_string(device_);
        }
    }

    void level(KernelTimer &timer, std::int32_t drop) {
        cuda::level_outlets<<<blocks_for(2 * (std::int64_t{map_.width} + map_.height), 128), 128, 0,
                              stream_>>>(map_, now(), outlets_.data(), drop);
        launched(timer, "outlets", 0);
    }

    void clear_queues() {
        queues_.clear(stream_);
        entries_.clear(stream_);
    }

    // The filled surface into the other ground.
    void find_filled(KernelTimer &timer) {
        auto *const roots = reinterpret_cast<std::uint16_t *>(places_.data()); // until trees are
        const Nodes n = nodes();
        clear_queues();
        find_roots<<<tiles(), kTileThreads, 0, stream_>>>(map_, links(), seed_, now(),
                                                          outlets_.data(), roots, n.beyond);
        launched(timer, "roots", 23);
        link_roots<<<tiles(), kTileThreads, 0, stream_>>>(map_, roots, n.beyond, n.next);
        launched(timer, "root links", 0);
        follow_roots<<<tiles(), kTileThreads, 0, stream_>>>(n.next);
        launched(timer, "root ends", 0);
        const RingQueue queue{queues_.data(), entries_.data(),
                              static_cast<std::uint32_t>(entries_.size() - 1)};
        begin_fill<<<tiles(), kTileThreads, 0, stream_>>>(
            map_, now(), roots, n.next, other(), has_caught_.data(), queued_.data(), queue);
        launched(timer, "caught", 10);
        settle_water<<<std::min(tiles(), resident_blocks(settle_water, kTileThreads)), kTileThreads,
                       0, stream_>>>(map_, now(), other(), has_caught_.data(), queued_.data(),
                                     queue);
        launched(timer, "fill", 0);
    }

    // Steps, trees and areas.
    void find_water(KernelTimer &timer, const std::int32_t *filled) {
        const Nodes n = nodes();
        plant_trees<<<tiles(), kTileThreads, 0, stream_>>>(
            map_, links(), seed_, now(), filled, outlets_.data(), steps_.data(), places_.data(), n);
        launched(timer, "trees", 30);
        link_trees<<<tiles(), kTileThreads, 0, stream_>>>(map_, n);
        launched(timer, "tree links", 0);
        make_room<<<tiles(), kTileThreads, 0, stream_>>>(n);
        launched(timer, "tree room", 0);
        add_up_flow<<<tiles(), kTileThreads, 0, stream_>>>(map_, n);
        launched(timer, "tree flow", 0);
        hang_trees<<<tiles(), kTileThreads, 0, stream_>>>(n);
        launched(timer, "tree lists", 0);
        find_areas<<<tiles(), kTileThreads, 0, stream_>>>(map_, steps_.data(), n, areas_.data());
        launched(timer, "areas", 5);
    }

    core::Run &run_;
    Device device_;
    sim::Bedrock bedrock_;
    const rules::Strata &strata_;
    std::uint64_t seed_;
    Stream stream_;
    Staging staging_;
    NetworkViews networks_; // in distances_
    Buffer<std::uint32_t> distances_[3];
    Buffer<std::int16_t> draws_[4];
    Buffer<std::int32_t> range_;

    // Of this level.
    TileMap map_{};
    Extent2 extent_;
    Buffer<std::int32_t> ground_[2];
    std::size_t now_ = 0; // which of the two holds the ground
    Buffer<std::uint8_t> outlets_, steps_, has_caught_;
    Buffer<std::uint16_t> uplift_, softness_, rock_[2], steep_, stems_, stem_steep_;
    Buffer<std::uint32_t> links_[4], areas_, places_, of_nodes_[11], ready_, stem_numbers_, queued_;
    Buffer<std::int32_t> below_; // by node: the height of the cell below
    Buffer<std::uint64_t> flow_[2], entries_;
    Buffer<Record> records_, stem_records_;
    Buffer<QueueState> queues_; // of the fill, of the cut
};

} // namespace

std::unique_ptr<sim::ErosionEngine> make_erosion(core::Run &run, Device device, sim::Soil soil,
                                                 const sim::Bedrock &bedrock) {
    require_device(device);
    return std::make_unique<CudaErosion>(run, device, soil, bedrock);
}

} // namespace karst::cuda

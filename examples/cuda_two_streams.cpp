// Two simulations at once, each on a CUDA stream of its own and into memory of this program. At the
// end they must be what karst computes on the CPU.
#include <cstdio>

#include <cuda_runtime_api.h>

#include <karst/artifact.hpp>
#include <karst/cuda.hpp>

int main() try {
    if (karst::best_device().kind != karst::DeviceKind::cuda) {
        std::printf("there is no CUDA device here\n");
        return 0;
    }
    const karst::Extent2 extent{1024, 768};
    karst::PhysarumParams params;
    params.steps = 200;
    const karst::LifeBoard soup = karst::make_soup(extent, 0.4, 7);
    karst::Field2D<std::uint32_t> trail(extent);
    karst::LifeBoard board(extent);
    const auto trail_bytes = trail.cells().size_bytes();
    const auto board_bytes = board.words().cells().size_bytes();

    cudaStream_t streams[2];
    void *memory[2];
    if (cudaStreamCreate(&streams[0]) != cudaSuccess ||
        cudaStreamCreate(&streams[1]) != cudaSuccess ||
        cudaMalloc(&memory[0], trail_bytes) != cudaSuccess ||
        cudaMalloc(&memory[1], board_bytes) != cudaSuccess) {
        std::fprintf(stderr, "no stream or memory\n");
        return 1;
    }
    {
        karst::DevicePhysarum physarum(params, extent, 7, streams[0]);
        karst::DeviceLife life(soup, {}, karst::LifeBoundary::torus, streams[1]);
        physarum.advance(params.steps); // these return at once, and the device does both
        life.advance(500);
        physarum.copy_trail(static_cast<std::uint32_t *>(memory[0]), extent.width);
        life.copy_words(static_cast<std::uint64_t *>(memory[1]), board.words().width());
    } // what is on the streams is still done
    cudaMemcpyAsync(trail.data(), memory[0], trail_bytes, cudaMemcpyDeviceToHost, streams[0]);
    cudaMemcpyAsync(board.words().data(), memory[1], board_bytes, cudaMemcpyDeviceToHost,
                    streams[1]);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        std::fprintf(stderr, "the device failed\n");
        return 1;
    }

    const std::uint64_t trails[] = {
        karst::digest(karst::LayerData(trail)),
        karst::digest(karst::LayerData(karst::simulate_physarum(params, extent, 7).trail))};
    const std::uint64_t boards[] = {
        karst::digest(board),
        karst::digest(karst::simulate_life(soup, {}, karst::LifeBoundary::torus, 500))};
    std::printf(
        "trail %016llx, on the CPU %016llx\nboard %016llx, on the CPU %016llx\n",
        static_cast<unsigned long long>(trails[0]), static_cast<unsigned long long>(trails[1]),
        static_cast<unsigned long long>(boards[0]), static_cast<unsigned long long>(boards[1]));
    return trails[0] == trails[1] && boards[0] == boards[1] ? 0 : 1;
} catch (const karst::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}

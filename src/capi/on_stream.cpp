// Simulations of the C interface on a CUDA stream of the caller.
#include "capi/on_stream.hpp"

#include <mutex>
#include <variant>

#include <karst/cuda.hpp>

#include "capi/handles.hpp"
#include "capi/request.hpp"
#include "generators/physarum.hpp"

namespace karst::capi {

struct Simulation {
    explicit Simulation(std::variant<DevicePhysarum, DeviceLife> made) : its(std::move(made)) {}

    std::mutex mutex; // held by the one thread that uses it
    std::variant<DevicePhysarum, DeviceLife> its;
};

namespace {

Handles<karst_simulation, Simulation> &simulations() {
    static Handles<karst_simulation, Simulation> all("the simulation");
    return all;
}

karst_simulation *add(std::variant<DevicePhysarum, DeviceLife> its) {
    return simulations().add(std::make_shared<Simulation>(std::move(its)));
}

template <class F>
void use(karst_simulation *handle, F &&f) {
    const auto simulation = simulations().get(handle);
    const std::unique_lock lock(simulation->mutex, std::try_to_lock);
    if (!lock) {
        refuse("another thread uses the simulation; allowed is one at a time");
    }
    std::visit(f, simulation->its);
}

LifeBoundary read_boundary(int32_t boundary) {
    switch (boundary) {
    case KARST_TORUS:
        return LifeBoundary::torus;
    case KARST_DEAD:
        return LifeBoundary::dead;
    case KARST_ALIVE:
        return LifeBoundary::alive;
    default:
        refuse("boundary is " + std::to_string(boundary) +
               "; allowed is 0 (torus), 1 (dead), 2 (alive)");
    }
}

} // namespace

karst_simulation *physarum_on_stream(const karst_request *request, void *stream) {
    const auto its = requests().get(request);
    if (its->generator.name != "physarum") {
        refuse("the request is of '" + its->generator.name + "'; allowed is physarum");
    }
    const Job job = its->copy_of_job();
    if (!job.controls.empty()) {
        refuse("the request has painted maps; allowed on a stream is none");
    }
    return add(DevicePhysarum(physarum_params(job), job.extent, job.seed,
                              static_cast<cudaStream_t>(stream)));
}

karst_simulation *life_on_stream(const karst_life &life, void *stream) {
    require(life.rule, "rule", "a rule such as B3/S23");
    require(life.cells, "cells", "a byte a cell");
    const Extent2 extent{life.width, life.height};
    constexpr std::int64_t kLongest = std::int64_t{1} << 27;
    if (extent.width < 1 || extent.height < 1 || extent.width > kLongest ||
        extent.height > kLongest) {
        refuse("the board is " + std::to_string(life.width) + " x " + std::to_string(life.height) +
               " cells; allowed is 1 to " + std::to_string(kLongest) + " a side");
    }
    LifeBoard board(extent);
    for (std::int64_t y = 0; y < extent.height; ++y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            if (life.cells[y * extent.width + x] != 0) {
                board.set(x, y, true);
            }
        }
    }
    return add(DeviceLife(board, parse_life_rule(life.rule), read_boundary(life.boundary),
                          static_cast<cudaStream_t>(stream)));
}

void advance_on_stream(karst_simulation *simulation, std::int64_t steps) {
    use(simulation, [&](auto &its) { its.advance(steps); });
}

void copy_on_stream(karst_simulation *simulation, void *cells, std::int64_t pitch) {
    use(simulation, [&](auto &its) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(its)>, DevicePhysarum>) {
            its.copy_trail(static_cast<std::uint32_t *>(cells), pitch);
        } else {
            its.copy_cells(static_cast<std::uint8_t *>(cells), pitch);
        }
    });
}

void end_on_stream(karst_simulation *simulation) {
    simulations().remove(simulation);
}

} // namespace karst::capi

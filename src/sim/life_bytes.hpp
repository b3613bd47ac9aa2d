// An engine of Life with a byte a cell, for `karst bench` only: its boards take eight times the
// memory, and their copying is what its time is compared with.
#pragma once

#include <memory>

#include <karst/device.hpp>
#include <karst/simulate.hpp>

#include "sim/life.hpp"

namespace karst::cuda {

// B3/S23 on a torus. Throws Error(no_device), Error(out_of_memory), and Error(invalid_argument) for
// a width that is no multiple of 16.
std::unique_ptr<sim::LifeEngine> make_byte_life(Device device, LifeBoard board);

} // namespace karst::cuda

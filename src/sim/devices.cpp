#include "sim/devices.hpp"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

#include "core/run.hpp"
#include "core/thread_pool.hpp"
#include "sim/bench.hpp"
#include "sim/erosion.hpp"
#include "sim/life_bytes.hpp"
#include "sim/life_code.hpp"
#include "sim/physarum.hpp"
#include "sim/physarum_tuning.hpp"

namespace karst {

#if !defined(KARST_WITH_CUDA)
namespace cuda {
std::vector<DeviceInfo> devices(std::string *reason) {
    if (reason != nullptr) {
        *reason = "this build of karst has no CUDA";
    }
    return {};
}

namespace {
[[noreturn]] void refuse() {
    throw Error(ErrorCode::no_device, "there is no CUDA device: this build of karst has no CUDA");
}
} // namespace

double copy_rate(Device) {
    refuse();
}

double speed(Device) {
    refuse();
}

std::uint64_t cache_size(Device) {
    refuse();
}

bool is_open() {
    return false;
}

std::unique_ptr<sim::PhysarumEngine> make_physarum(Device, sim::PhysarumState,
                                                   const rules::PhysarumRule &,
                                                   const sim::ControlFields *,
                                                   const PhysarumTuning &) {
    refuse();
}

std::unique_ptr<sim::Physarum3Engine> make_physarum(Device, sim::Physarum3State,
                                                    const rules::Physarum3Rule &,
                                                    const sim::Control3Fields *) {
    refuse();
}

std::unique_ptr<sim::PhysarumEngine> make_tiled_physarum(Device, sim::PhysarumState &,
                                                         const rules::PhysarumRule &,
                                                         const PhysarumTuning &) {
    refuse();
}

std::unique_ptr<sim::PhysarumEngine> make_two_pass_physarum(Device, sim::PhysarumState,
                                                            const rules::PhysarumRule &,
                                                            const PhysarumTuning &) {
    refuse();
}

PhysarumWay physarum_way(Device, const rules::PhysarumRule &, std::size_t, const PhysarumTuning &) {
    refuse();
}

std::unique_ptr<sim::LifeEngine> make_life(Device, LifeBoard, LifeRule, LifeBoundary, LifeCode,
                                           const LifeTuning &) {
    refuse();
}

std::unique_ptr<sim::LifeEngine> make_life(Device, LifeBoard, LifeRule, LifeBoundary,
                                           const LifeTuning &) {
    refuse();
}

std::unique_ptr<sim::LifeVolumeEngine> make_life(Device, LifeVolume, LifeRule3, LifeBoundary,
                                                 const LifeVolumeTuning &) {
    refuse();
}

DeviceKey device_key(Device) {
    refuse();
}

int multiprocessors(Device) {
    refuse();
}

std::unique_ptr<sim::LifeEngine> make_byte_life(Device, LifeBoard) {
    refuse();
}

std::unique_ptr<sim::ErosionEngine> make_erosion(core::Run &, Device, sim::Soil,
                                                 const sim::Bedrock &) {
    refuse();
}
} // namespace cuda
#endif

namespace {

std::uint64_t total_memory() {
    std::ifstream meminfo("/proc/meminfo");
    std::string key;
    std::uint64_t kibibytes = 0;
    return meminfo >> key >> kibibytes && key == "MemTotal:" ? kibibytes * 1024 : 0;
}

} // namespace

std::vector<DeviceInfo> available_devices() {
    const int threads = core::usable_threads();
    std::vector<DeviceInfo> list{
        {{},
         "CPU, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
         total_memory()}};
    for (auto &info : cuda::devices()) {
        list.push_back(std::move(info));
    }
    return list;
}

Device best_device() {
    const auto list = cuda::devices();
    return list.empty() ? Device{} : list.front().device;
}

Device parse_device(const std::string &text) {
    if (text == "auto") {
        return {DeviceKind::automatic, 0};
    }
    if (text == "cpu") {
        return {};
    }
    if (text == "cuda") {
        return {DeviceKind::cuda, 0};
    }
    if (text.starts_with("cuda:")) {
        int ordinal = -1;
        const char *const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data() + 5, end, ordinal);
        if (error == std::errc() && stop == end && ordinal >= 0) {
            return {DeviceKind::cuda, ordinal};
        }
    }
    throw Error(ErrorCode::invalid_argument,
                "device is '" + text + "'; allowed is auto, cpu, cuda or cuda:N");
}

} // namespace karst

namespace karst::sim {

std::uint64_t cache_size(Device device) {
    if (device.kind == DeviceKind::cuda) {
        return cuda::cache_size(device);
    }
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size"); // "32768K"
    std::uint64_t kibibytes = 0;
    return file >> kibibytes ? kibibytes * 1024 : 0;
}

namespace {

// What /proc/cpuinfo calls the first processor.
std::string processor_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "processor";
}

} // namespace

DeviceKey device_key(Device device, int threads) {
    if (device.kind == DeviceKind::cuda) {
        return cuda::device_key(device);
    }
    const int its = threads > 0 ? threads : core::usable_threads();
    return {processor_name() + ", " + std::to_string(its) + (its == 1 ? " thread" : " threads"),
            cpu::instruction_sets().back(), "", ""};
}

double copy_rate(Device device, int threads) {
    if (device.kind == DeviceKind::cuda) {
        return cuda::copy_rate(device);
    }
    constexpr std::size_t kBytes = std::size_t{1} << 26; // above most caches
    constexpr int kRepetitions = 5;
    Options options;
    options.threads = threads;
    core::Run run(options);
    std::vector<char> from(kBytes, 1);
    std::vector<char> to(kBytes, 0);
    std::vector<double> seconds;
    for (int i = 0; i < kRepetitions; ++i) {
        const double start = core::clock_seconds();
        run.for_ranges(kBytes, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
            std::memcpy(to.data() + begin, from.data() + begin,
                        static_cast<std::size_t>(end - begin));
        });
        seconds.push_back(core::clock_seconds() - start);
    }
    return 2.0 * kBytes / median(std::move(seconds));
}

} // namespace karst::sim

#include <algorithm>

#include <dlfcn.h>

#include "core/process.hpp"
#include "kernel_timer.cuh"
#include "resources.cuh"
#include "sim/devices.hpp"

namespace karst::cuda {

namespace {

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// Set with the first question that the driver answered: a child of fork() must ask it nothing.
core::ProcessMark opened;

constexpr const char *kForked = "this process was forked after karst had opened CUDA; allowed is "
                                "the CPU, or to fork before";

// 0 and a reason when CUDA cannot be used.
int count_devices(std::string *reason) {
    if (is_forked()) {
        if (reason != nullptr) {
            *reason = kForked;
        }
        return 0;
    }
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaSuccess && count > 0) {
        opened.set();
        return count;
    }
    cudaGetLastError();
    if (reason != nullptr) {
        int driver = 0;
        cudaDriverGetVersion(&driver);
        if (status == cudaErrorInsufficientDriver && driver == 0) {
            *reason = "this machine has no NVIDIA driver";
        } else if (status == cudaErrorInsufficientDriver) {
            *reason = "the NVIDIA driver supports CUDA " + version_text(driver) +
                      ", karst was built with " + version_text(CUDART_VERSION);
        } else {
            *reason =
                status == cudaSuccess ? "the driver sees no device" : cudaGetErrorString(status);
        }
    }
    return 0;
}

} // namespace

std::vector<DeviceInfo> devices(std::string *reason) {
    std::vector<DeviceInfo> list;
    const int count = count_devices(reason);
    for (int ordinal = 0; ordinal < count; ++ordinal) {
        cudaDeviceProp properties{};
        if (cudaGetDeviceProperties(&properties, ordinal) == cudaSuccess) {
            list.push_back(
                {{DeviceKind::cuda, ordinal}, properties.name, properties.totalGlobalMem});
        }
    }
    return list;
}

bool is_forked() {
    return opened.is_inherited();
}

void require_own_process() {
    if (is_forked()) {
        throw Error(ErrorCode::device_failure, kForked);
    }
}

void require_device(Device device) {
    require_own_process();
    std::string reason;
    const int count = count_devices(&reason);
    if (count == 0) {
        throw Error(ErrorCode::no_device, "there is no CUDA device: " + reason);
    }
    if (device.ordinal < 0 || device.ordinal >= count) {
        throw Error(ErrorCode::no_device, "there is no CUDA device " +
                                              std::to_string(device.ordinal) + "; the last is " +
                                              std::to_string(count - 1));
    }
}

double speed(Device device) {
    constexpr double kReference = 132;
    return multiprocessors(device) / kReference;
}

std::uint64_t cache_size(Device device) {
    int bytes = 0;
    KARST_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device.ordinal));
    return static_cast<std::uint64_t>(bytes);
}

bool is_open() {
    if (is_forked()) {
        return false;
    }
    // The driver's own library is there only once the runtime has loaded it.
    void *const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver == nullptr) {
        return false;
    }
    using GetState = int (*)(int device, unsigned *flags, int *active);
    const auto get_state = reinterpret_cast<GetState>(dlsym(driver, "cuDevicePrimaryCtxGetState"));
    unsigned flags = 0;
    int active = 0;
    const bool open = get_state != nullptr && get_state(0, &flags, &active) == 0 && active != 0;
    dlclose(driver);
    return open;
}

int multiprocessors(Device device) {
    int count = 0;
    KARST_CUDA_CHECK(
        cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device.ordinal));
    return count;
}

DeviceKey device_key(Device device) {
    require_device(device);
    cudaDeviceProp properties{};
    KARST_CUDA_CHECK(cudaGetDeviceProperties(&properties, device.ordinal));
    int driver = 0;
    int runtime = 0;
    KARST_CUDA_CHECK(cudaDriverGetVersion(&driver));
    KARST_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    return {properties.name,
            std::to_string(properties.major) + "." + std::to_string(properties.minor),
            version_text(driver), version_text(runtime)};
}

double copy_rate(Device device) {
    require_device(device);
    const CurrentDevice current(device.ordinal);
    constexpr std::size_t kBytes = std::size_t{1} << 29; // ten times the caches of today
    constexpr int kRepetitions = 5;
    const Stream stream(device.ordinal);
    Buffer<char> from(kBytes);
    Buffer<char> to(kBytes);
    from.clear(stream);
    std::vector<KernelTime> times;
    KernelTimer timer(&times, stream);
    for (int i = 0; i < kRepetitions; ++i) {
        KARST_CUDA_CHECK(
            cudaMemcpyAsync(to.data(), from.data(), kBytes, cudaMemcpyDeviceToDevice, stream));
        timer.launched("copy", 2 * kBytes, 0);
    }
    stream.synchronize();
    timer.finish();
    std::sort(times.begin(), times.end(),
              [](const KernelTime &a, const KernelTime &b) { return a.seconds < b.seconds; });
    return 2.0 * kBytes / times[kRepetitions / 2].seconds;
}

} // namespace karst::cuda

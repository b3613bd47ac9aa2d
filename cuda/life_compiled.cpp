#include "life_compiled.hpp"

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <type_traits>

#include "check.cuh"
#include "resources.cuh"
#include "sim/life_network.hpp"

namespace karst::cuda {

namespace {

// What the headers below need of <cstdint> and <karst/simulate.hpp>, which NVRTC could not read.
constexpr const char *kIntegers = R"(#pragma once
namespace std {
using int64_t = long;
using uint16_t = unsigned short;
using uint32_t = unsigned;
using uint64_t = unsigned long;
}
)";
constexpr const char *kSimulate = R"(#pragma once
namespace karst {
enum class LifeBoundary { torus, dead, alive };
struct LifeRule { std::uint16_t birth, survive; };
struct Extent2 { std::int64_t width, height; };
}
)";
static_assert(std::is_same_v<std::int64_t, long> && std::is_same_v<std::uint64_t, unsigned long>);
static_assert(sizeof(LifeBoundary) == sizeof(int) && static_cast<int>(LifeBoundary::torus) == 0 &&
              static_cast<int>(LifeBoundary::dead) == 1 &&
              static_cast<int>(LifeBoundary::alive) == 2);

// A gate is one instruction for certain; ptxas does not always find it in `&`, `|` and `^`.
constexpr const char *kBegin = R"(#include "life_strip.cuh"
namespace karst::cuda {
template <unsigned table>
__device__ std::uint32_t gate(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::uint32_t out;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(out) : "r"(a), "r"(b), "r"(c), "n"(table));
    return out;
}
)";

// One kernel. Its mutex is held while it is compiled, so that only those wait who want the same.
struct Entry {
    std::mutex mutex;
    bool is_done = false; // with a kernel or a fault
    CompiledStrips strips;
};

struct Cache {
    using Key = std::tuple<int, std::uint16_t, std::uint16_t, int>;
    std::mutex mutex; // of the map
    std::map<Key, Entry> entries;
};

Entry &entry_of(int device, LifeRule rule, int generations) {
    static Cache *const kept = new Cache; // outlives every engine
    const std::lock_guard lock(kept->mutex);
    return kept->entries[{device, rule.birth, rule.survive, generations}];
}

#if CUDART_VERSION >= 12080
struct Unload {
    void operator()(cudaLibrary_t library) const { cudaLibraryUnload(library); }
};
#endif

const void *load_strips(int device, LifeRule rule, int generations) {
#if CUDART_VERSION >= 12080
    int major = 0;
    int minor = 0;
    KARST_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    KARST_CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    const KernelCode code =
        compile_strips(rule, generations, "sm_" + std::to_string(major) + std::to_string(minor));
    const CurrentDevice current(device);
    cudaLibrary_t loaded = nullptr;
    KARST_CUDA_CHECK(
        cudaLibraryLoadData(&loaded, code.cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    std::unique_ptr<std::remove_pointer_t<cudaLibrary_t>, Unload> library(loaded);
    cudaKernel_t kernel = nullptr;
    KARST_CUDA_CHECK(cudaLibraryGetKernel(&kernel, loaded, code.name.c_str()));
    cudaFuncAttributes attributes{}; // code is loaded when it is needed: here it may fail
    KARST_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    library.release(); // stays with the kernel
    return kernel;
#else
    throw Error(ErrorCode::unsupported, "karst was built with a CUDA older than 12.8");
#endif
}

} // namespace

KernelCode compile_strips(LifeRule rule, int generations, const std::string &architecture) {
    const std::array<KernelHeader, 5> headers = {{{"cstdint", kIntegers},
                                                  {"karst/config.hpp", kConfigText},
                                                  {"karst/simulate.hpp", kSimulate},
                                                  {"rules/life.hpp", kLifeText},
                                                  {"life_strip.cuh", kLifeStripText}}};
    const std::string source =
        kBegin + sim::source_of(sim::make_life_network(rule), "NetworkRule") + "}\n";
    return compile_kernel(source, headers,
                          "karst::cuda::walk_strips<" + std::to_string(generations) +
                              ", karst::cuda::NetworkRule>",
                          architecture);
}

CompiledStrips compiled_strips(int device, LifeRule rule, int generations) {
    Entry &entry = entry_of(device, rule, generations);
    const std::lock_guard lock(entry.mutex);
    if (!entry.is_done) { // also where memory ran out the last time
        try {
            entry.strips.kernel = load_strips(device, rule, generations);
        } catch (const Refusal &refusal) {
            return {nullptr, refusal.what()};
        } catch (const Error &error) {
            entry.strips.fault = error.what();
        }
        entry.is_done = true;
    }
    return entry.strips;
}

const void *known_strips(int device, LifeRule rule, int generations) {
    Entry &entry = entry_of(device, rule, generations);
    const std::unique_lock lock(entry.mutex, std::try_to_lock);
    return lock.owns_lock() ? entry.strips.kernel : nullptr;
}

} // namespace karst::cuda

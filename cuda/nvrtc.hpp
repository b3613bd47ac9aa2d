// Compiles CUDA C++ while karst runs, where the machine has NVIDIA's library for it (NVRTC).
#pragma once

#include <span>
#include <string>

namespace karst::cuda {

// What a source includes as <name>: the library reads no file.
struct KernelHeader {
    const char *name;
    const char *text;
};

struct KernelCode {
    std::string cubin; // for cudaLibraryLoadData
    std::string name;  // of the kernel in it
};

// The kernel that `expression` names in `source`, for example "walk<8, Rule>", as machine code for
// devices of an architecture such as "sm_90". Throws Error(unsupported), saying why, where there is
// no library or it refuses the source or the architecture.
KernelCode compile_kernel(const std::string &source, std::span<const KernelHeader> headers,
                          const std::string &expression, const std::string &architecture);

} // namespace karst::cuda

#include "nvrtc.hpp"

#include <array>
#include <vector>

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <karst/error.hpp>

namespace karst::cuda {

namespace {

[[noreturn]] void refuse(const std::string &why) {
    throw Error(ErrorCode::unsupported, "no kernel can be compiled for this rule: " + why);
}

// The functions of NVRTC that are needed, declared here since its header is a package of its own.
class Nvrtc {
public:
    using Program = struct ProgramTag *;
    using Status = int; // 0: success

    Status (*create)(Program *, const char *source, const char *name, int headers,
                     const char *const *texts, const char *const *names);
    Status (*add_expression)(Program, const char *);
    Status (*compile)(Program, int count, const char *const *options);
    Status (*log_size)(Program, std::size_t *);
    Status (*get_log)(Program, char *);
    Status (*lowered_name)(Program, const char *expression, const char **name);
    Status (*cubin_size)(Program, std::size_t *);
    Status (*cubin)(Program, char *);
    Status (*destroy)(Program *);

    // The library is opened once and stays. Throws Error(unsupported) if there is none.
    static const Nvrtc &get() {
        static const Nvrtc library(open());
        return library;
    }

private:
    explicit Nvrtc(void *library) {
        const auto load = [&](auto &function, const char *name) {
            function =
                reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            if (function == nullptr) {
                refuse("the NVRTC here has no " + std::string(name));
            }
        };
        load(create, "nvrtcCreateProgram");
        load(add_expression, "nvrtcAddNameExpression");
        load(compile, "nvrtcCompileProgram");
        load(log_size, "nvrtcGetProgramLogSize");
        load(get_log, "nvrtcGetProgramLog");
        load(lowered_name, "nvrtcGetLoweredName");
        load(cubin_size, "nvrtcGetCUBINSize");
        load(cubin, "nvrtcGetCUBIN");
        load(destroy, "nvrtcDestroyProgram");
    }

    // The CUDA that karst was built with first, then the other one that knows C++20.
    static void *open() {
        constexpr int kMajor = CUDART_VERSION / 1000;
        for (const int major : {kMajor, kMajor == 13 ? 12 : 13}) {
            const std::string name = "libnvrtc.so." + std::to_string(major);
            // Where the loader looks, then where NVIDIA's installer puts it.
            for (const std::string &path : {name, "/usr/local/cuda/lib64/" + name}) {
                if (void *const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
                    return library;
                }
            }
        }
        refuse("there is no libnvrtc.so." + std::to_string(kMajor));
    }
};

void check(Nvrtc::Status status, const char *function) {
    if (status != 0) {
        refuse(std::string(function) + " of NVRTC failed with " + std::to_string(status));
    }
}

class Program {
public:
    Program(const Nvrtc &library, const std::string &source, std::span<const KernelHeader> headers)
        : library_(library) {
        std::vector<const char *> texts;
        std::vector<const char *> names;
        for (const KernelHeader &header : headers) {
            texts.push_back(header.text);
            names.push_back(header.name);
        }
        check(library_.create(&program_, source.c_str(), "karst.cu",
                              static_cast<int>(headers.size()), texts.data(), names.data()),
              "nvrtcCreateProgram");
    }
    ~Program() { library_.destroy(&program_); }
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;

    KernelCode compile(const std::string &expression, const std::string &architecture) {
        check(library_.add_expression(program_, expression.c_str()), "nvrtcAddNameExpression");
        const std::string target = "--gpu-architecture=" + architecture;
        // As cmake/arithmetic.cmake has it; what is not marked is for the device.
        const std::array<const char *, 4> options = {target.c_str(), "--std=c++20", "--fmad=false",
                                                     "--device-as-default-execution-space"};
        if (library_.compile(program_, static_cast<int>(options.size()), options.data()) != 0) {
            refuse("NVRTC says " + messages());
        }
        const char *name = nullptr;
        check(library_.lowered_name(program_, expression.c_str(), &name), "nvrtcGetLoweredName");
        std::size_t size = 0;
        check(library_.cubin_size(program_, &size), "nvrtcGetCUBINSize");
        KernelCode code{std::string(size, '\0'), name};
        check(library_.cubin(program_, code.cubin.data()), "nvrtcGetCUBIN");
        return code;
    }

private:
    std::string messages() const {
        std::size_t size = 0;
        check(library_.log_size(program_, &size), "nvrtcGetProgramLogSize");
        std::string text(size, '\0');
        check(library_.get_log(program_, text.data()), "nvrtcGetProgramLog");
        return text;
    }

    const Nvrtc &library_;
    Nvrtc::Program program_ = nullptr;
};

} // namespace

KernelCode compile_kernel(const std::string &source, std::span<const KernelHeader> headers,
                          const std::string &expression, const std::string &architecture) {
    return Program(Nvrtc::get(), source, headers).compile(expression, architecture);
}

} // namespace karst::cuda

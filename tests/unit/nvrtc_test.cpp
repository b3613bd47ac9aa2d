// Kernels that are compiled while karst runs. No device is needed to compile one.
#include <doctest/doctest.h>

#include <string>

#include <karst/error.hpp>

#include "cuda/life_compiled.hpp"

using namespace karst;

TEST_CASE("nvrtc: a kernel for a rule, from the headers in the program") {
    try {
        for (const int generations : {8, 1}) {
            const auto code =
                cuda::compile_strips(parse_life_rule("B36/S23"), generations, "sm_90");
            CHECK(code.cubin.starts_with("\x7F"
                                         "ELF"));
            // Mangled: walk_strips<8, ...>.
            CHECK(code.name.find("walk_stripsILi" + std::to_string(generations) + "E") !=
                  std::string::npos);
            CHECK(code.cubin.find(code.name) != std::string::npos);
        }
    } catch (const Error &error) {
        const std::string why = error.what();
        REQUIRE_MESSAGE(why.find("there is no libnvrtc") != std::string::npos, why);
        MESSAGE("skipped: " << why);
        return;
    }
    try {
        cuda::compile_kernel("__global__ void broken() { nothing; }", {}, "broken", "sm_90");
        FAIL("a source with an error was compiled");
    } catch (const Error &error) {
        CHECK(error.code() == ErrorCode::unsupported);
        CHECK(std::string(error.what()).find("nothing") != std::string::npos);
    }
}

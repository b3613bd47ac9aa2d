#include "sim/engine.hpp"

#include <algorithm>

namespace karst::sim {

void run_steps(core::Run &run, Engine &engine, std::int64_t steps, std::int64_t before,
               std::int64_t whole) {
    whole = whole == 0 ? before + steps : whole;
    std::vector<KernelTime> *const kernels = run.options().kernels;
    engine.record(kernels);
    for (std::int64_t done = 0; done < steps;) {
        const auto now = std::min<std::int64_t>(kStepsAtOnce, steps - done);
        const std::size_t known = kernels == nullptr ? 0 : kernels->size();
        {
            const core::Range range("steps");
            engine.advance(static_cast<std::uint32_t>(now));
        }
        for (std::size_t i = known; kernels != nullptr && i < kernels->size(); ++i) {
            (*kernels)[i].device = run.stage_device();
        }
        done += now;
        run.advance(static_cast<double>(before + done) / static_cast<double>(whole));
    }
    engine.record(nullptr);
}

} // namespace karst::sim

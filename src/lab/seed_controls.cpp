#include "lab/seed_controls.hpp"

#include <algorithm>
#include <utility>

#include "core/joined.hpp"
#include "core/run.hpp"
#include "lab/seed_sensitivity.hpp"
#include "sim/physarum.hpp"

namespace karst::lab {

namespace {

constexpr Extent2 kGround{64, 64};
constexpr std::int64_t kControlSeeds = 12;
const std::vector<int> kControlBits{0, 1, 2, 3, 16, 31, 32, 47, 48, 53, 58, 63};

// Agents and their trail after one step, keyed as everywhere in karst.
GeneratorSubject sound_subject() {
    const GeneratorInfo &row = find_generator("physarum");
    Job job{ParamSet(row.params), kGround};
    job.params.set("steps", std::int64_t{1});
    return {row, std::move(job), {0}};
}

// 48 bits of the seed are used, as java.util.Random keeps them.
class MaskedSubject final : public Subject {
public:
    Sight look(std::uint64_t seed, const Options &options) const override {
        return sound_.look(seed & ((std::uint64_t{1} << 48) - 1), options);
    }

private:
    const GeneratorSubject sound_ = sound_subject();
};

class ConstantStageSubject final : public Subject {
public:
    Sight look(std::uint64_t seed, const Options &options) const override {
        Sight sight = sound_.look(seed, options);
        SeenField constant = sound_.look(0, options).fields.front();
        constant.stage = "constant";
        sight.fields.push_back(std::move(constant));
        return sight;
    }

private:
    const GeneratorSubject sound_ = sound_subject();
};

// "bits 48, 53 of 'agents'", of the judged rows; empty: all are within.
std::string not_within(const SeedReport &report, const std::string &stage) {
    std::string list;
    for (const SeedRow &row : report.found.rows) {
        if (!row.quantity.judged || (!stage.empty() && row.quantity.stage != stage)) {
            continue;
        }
        std::vector<int> bits;
        for (std::size_t i = 0; i < row.verdicts.size(); ++i) {
            if (row.verdicts[i] != BitVerdict::within) {
                bits.push_back(report.settings.bits[i]);
            }
        }
        if (!bits.empty()) {
            list += (list.empty() ? "bits " : "; bits ") +
                    core::joined(bits, [](int bit) { return std::to_string(bit); }) + " of '" +
                    row.quantity.stage + "'";
        }
    }
    return list;
}

// Whether exactly the planted bits are not within, in the rows of `stage`; empty: of all.
ControlResult tried(const std::string &name, const Subject &subject,
                    const std::vector<int> &planted, const std::string &stage,
                    const Options &options) {
    SeedSettings settings;
    settings.bits = kControlBits;
    settings.seeds = kControlSeeds;
    settings.repeat_seeds = 0;
    const SeedReport report = measure_seeds(subject, settings, options);
    ControlResult result{name, !planted.empty(), false, not_within(report, stage)};
    bool all = true;
    for (const SeedRow &row : report.found.rows) {
        if (!row.quantity.judged || (!stage.empty() && row.quantity.stage != stage)) {
            continue;
        }
        for (std::size_t i = 0; i < row.verdicts.size(); ++i) {
            const bool fault =
                std::find(planted.begin(), planted.end(), kControlBits[i]) != planted.end();
            const bool seen = row.verdicts[i] != BitVerdict::within;
            all = all && (!fault || seen);
            result.caught = result.caught || seen;
        }
    }
    result.caught = result.caught && all;
    result.why =
        result.why.empty() ? "every bit of every stage is within" : "not within: " + result.why;
    return result;
}

} // namespace

Sight IndexKeySubject::look(std::uint64_t seed, const Options &options) const {
    SightObserver observer(looks_);
    core::Run run(quiet_options(options, &observer));
    PhysarumParams params;
    params.steps = steps_;
    const rules::PhysarumRule rule = sim::quantise(params, extent_, seed);
    run.stage("physarum", 1, run.options().device);
    sim::PhysarumState state;
    state.trail = Field2D<std::uint32_t>(extent_);
    const auto count =
        static_cast<std::uint64_t>(static_cast<double>(extent_.cells()) * params.agent_density);
    for (std::uint64_t i = 0; i < count; ++i) {
        const core::Draw4 draw =
            core::philox4x32(0, 0, 0, core::use(core::stage_physarum_spawn), seed + i);
        const auto cell = [](std::uint32_t word, std::int64_t side) {
            return static_cast<std::int32_t>(
                std::uint64_t{word} * static_cast<std::uint64_t>(side) >> 32);
        };
        rules::Agent agent;
        agent.x = cell(draw.word[0], extent_.width);
        agent.y = cell(draw.word[1], extent_.height);
        agent.fraction_x = static_cast<std::uint16_t>(draw.word[3]);
        agent.fraction_y = static_cast<std::uint16_t>(draw.word[3] >> 16);
        agent.heading = static_cast<std::uint16_t>(draw.word[2] >> 16);
        state.agents.push_back(agent);
        state.ids.push_back(i);
    }
    state = sim::advance(run, std::move(state), rule, steps_);
    run.made(state.trail, StageCells::amount, steps_);
    run.finish();
    return std::move(observer.sight);
}

std::vector<ControlResult> run_controls(const Options &options) {
    Options own = options;
    own.device = {};
    std::vector<int> dropped;
    std::copy_if(kControlBits.begin(), kControlBits.end(), std::back_inserter(dropped),
                 [](int bit) { return bit >= 48; });
    return {tried("sound keys", sound_subject(), {}, "", own),
            tried("seed + index as key", IndexKeySubject(kGround, 1, {0}), {0, 1, 2, 3}, "", own),
            tried("a mask that drops bits 48 to 63", MaskedSubject(), dropped, "", own),
            tried("a stage that ignores the seed", ConstantStageSubject(), kControlBits, "constant",
                  own)};
}

} // namespace karst::lab

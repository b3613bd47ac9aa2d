// Shows that every device and engine gives the same arrays.
//
//   karst_parity [--device cpu|cuda] [--quick | --large] [--cases PREFIX]
//
// --cases runs those whose names begin so: life3/ or cave, for example. With physarum/ both forms
// of the tiled engine of CUDA run too, whatever it would choose. Runs each case with the plain
// engine (the specification), with CPU threads 1, 2 and 7 and on every CUDA device: the simulations
// step by step and as a whole, the generators layer by layer. Cases rules/ compile kernels for
// rules on CUDA; cases tuning/, not with --quick, run every point of the engines' tuning spaces.
// Exit status 0: all equal, 1: the first difference is on the last line, 2: wrong arguments, 4: no
// CUDA device although `--device cuda` asks for one.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>

#include <karst/device.hpp>
#include <karst/error.hpp>
#include <karst/seed.hpp>

#include "core/digest.hpp"
#include "erosion_cases.hpp"
#include "golden.hpp"
#include "parity_rules.hpp"
#include "parity_tuning.hpp"
#include "sim/life_bytes.hpp"
#include "sim/physarum_tuning.hpp"

using namespace karst;

namespace {

struct Engine {
    std::string name;
    Device device;
    int threads;
    sim::EngineKind kind;
    // The form of the tiled Physarum engine, whatever it would choose; other cases leave these out.
    std::optional<cuda::PhysarumTuning> tuning = {};
};

using Difference = std::optional<std::string>;

template <class T>
std::string place(const Field2D<T> &field, std::int64_t i) {
    return "cell (" + std::to_string(i % field.width()) + ", " + std::to_string(i / field.width()) +
           ")";
}

template <class T>
std::string place(const Field3D<T> &field, std::int64_t i) {
    const std::int64_t row = i / field.width();
    return "cell (" + std::to_string(i % field.width()) + ", " +
           std::to_string(row % field.height()) + ", " + std::to_string(row / field.height()) + ")";
}

template <class T>
std::string number(T value) {
    return std::to_string(value);
}

template <class T, std::size_t channels>
std::string number(const std::array<T, channels> &cell) {
    std::string text;
    for (const T value : cell) {
        text += (text.empty() ? "(" : ", ") + std::to_string(value);
    }
    return text + ")";
}

template <class T, class Extent>
Difference compare_fields(const Field<T, Extent> &a, const Field<T, Extent> &b,
                          const std::string &stage) {
    if (a.extent() != b.extent()) {
        return stage + ": " + std::to_string(a.size()) + " and " + std::to_string(b.size()) +
               " cells, or sides that differ";
    }
    for (std::int64_t i = 0; i < a.size(); ++i) {
        if (a[i] != b[i]) {
            return stage + ", " + place(a, i) + ": " + number(a[i]) + " and " + number(b[i]);
        }
    }
    return {};
}

std::string describe(const rules::Agent &agent) {
    return "(" + std::to_string(agent.x) + " + " + std::to_string(agent.fraction_x) + "/65536, " +
           std::to_string(agent.y) + " + " + std::to_string(agent.fraction_y) + "/65536, heading " +
           std::to_string(agent.heading) + ")";
}

std::string describe(const rules::Agent3 &agent) {
    const auto list = [](const auto &values) {
        std::string text;
        for (const auto value : values) {
            text += (text.empty() ? "" : " ") + std::to_string(value);
        }
        return text;
    };
    return "(cell " + list(agent.cell) + ", fractions " + list(agent.fraction) + ", front " +
           list(agent.frame.front.axis) + ", up " + list(agent.frame.up.axis) + ")";
}

template <class State>
Difference compare_agents(const State &a, const State &b) {
    const auto order = [](const State &state) {
        std::vector<std::size_t> by_id(state.ids.size());
        std::iota(by_id.begin(), by_id.end(), std::size_t{0});
        std::ranges::sort(by_id, {}, [&](std::size_t i) { return state.ids[i]; });
        return by_id;
    };
    if (a.agents.size() != b.agents.size()) {
        return "agents: " + std::to_string(a.agents.size()) + " and " +
               std::to_string(b.agents.size());
    }
    const auto in_a = order(a);
    const auto in_b = order(b);
    for (std::size_t i = 0; i < in_a.size(); ++i) {
        const std::uint64_t id = a.ids[in_a[i]];
        const auto &one = a.agents[in_a[i]];
        const auto &other = b.agents[in_b[i]];
        if (id != b.ids[in_b[i]] || !(one == other)) {
            return "agents, id " + seed_to_string(id) + " and " + seed_to_string(b.ids[in_b[i]]) +
                   ": " + describe(one) + " and " + describe(other);
        }
    }
    return {};
}

// In the order in which a step makes them.
template <class Rule>
Difference compare(const sim::BasicPhysarumState<Rule> &a, const sim::BasicPhysarumState<Rule> &b) {
    if (const auto d = compare_agents(a, b)) {
        return d;
    }
    if (const auto d = compare_fields(a.birth_time, b.birth_time, "birth_time")) {
        return d;
    }
    return compare_fields(a.trail, b.trail, "trail");
}

template <class Extent>
Difference compare(const LifeCells<Extent> &a, const LifeCells<Extent> &b) {
    if (a.extent() != b.extent()) {
        return "boards of two extents";
    }
    const auto difference = compare_fields(a.words(), b.words(), "words of 64 cells");
    const std::int64_t words = a.words().width();
    for (std::int64_t i = 0; difference && i < a.words().size(); ++i) {
        if (const std::uint64_t bits = a.words()[i] ^ b.words()[i]; bits != 0) {
            const std::int64_t x = i % words * 64 + std::countr_zero(bits);
            return *difference + (x < a.extent().width ? ", first in column " + std::to_string(x)
                                                       : ", in bits beyond the width");
        }
    }
    return difference;
}

Difference compare_meshes(const Artifact &a, const Artifact &b) {
    if (a.meshes.size() != b.meshes.size() || a.documents.size() != b.documents.size()) {
        return "number of meshes or documents";
    }
    for (std::size_t i = 0; i < a.meshes.size(); ++i) {
        const MeshLayer &one = a.meshes[i];
        const MeshLayer &other = b.meshes[i];
        if (one.parts.size() != other.parts.size()) {
            return "parts of mesh " + one.name;
        }
        for (std::size_t k = 0; k < one.parts.size(); ++k) {
            if (one.parts[k].pivot != other.parts[k].pivot ||
                digest(one.parts[k].mesh) != digest(other.parts[k].mesh)) {
                return "mesh " + one.name + ", part " + one.parts[k].name;
            }
        }
    }
    for (std::size_t i = 0; i < a.documents.size(); ++i) {
        if (a.documents[i].text != b.documents[i].text) {
            return "document " + a.documents[i].name;
        }
    }
    return {};
}

Difference compare(const Artifact &a, const Artifact &b) {
    if (a.layers.size() != b.layers.size()) {
        return "number of layers";
    }
    for (std::size_t i = 0; i < a.layers.size(); ++i) {
        const Layer &layer = a.layers[i];
        if (layer.data.index() != b.layers[i].data.index()) {
            return "type of layer " + layer.name;
        }
        const auto difference = std::visit(
            [&](const auto &field) {
                using Data = std::remove_cvref_t<decltype(field)>;
                return compare_fields(field, std::get<Data>(b.layers[i].data),
                                      "layer " + layer.name);
            },
            layer.data);
        if (difference) {
            return difference;
        }
    }
    if (a.measures != b.measures) {
        return "measures";
    }
    return compare_meshes(a, b);
}

template <class Rule>
std::uint64_t digest_of(const sim::BasicPhysarumState<Rule> &state) {
    return core::digest(state.trail);
}

template <class Extent>
std::uint64_t digest_of(const LifeCells<Extent> &board) {
    return digest(board);
}

std::uint64_t digest_of(const Artifact &artifact) {
    return artifact.layers.empty() ? 0 : digest(artifact.layers.front().data);
}

Options options_of(const Engine &engine) {
    Options options;
    options.device = engine.device;
    options.threads = engine.threads;
    return options;
}

// What a simulation of the engine runs on.
struct Going {
    explicit Going(const Engine &engine) : run(options_of(engine)) {
        run.stage("parity", 1, engine.device);
    }

    core::Run run;
};

constexpr std::int64_t kStepsAnEngine = 11;

class Parity {
public:
    explicit Parity(std::vector<Engine> engines) : engines_(std::move(engines)) {
        std::cout << std::left << std::setw(44) << "case" << std::setw(20) << "digest";
        for (const Engine &engine : engines_) {
            std::cout << std::setw(10) << engine.name;
        }
        std::cout << '\n';
    }

    // `make(run, state, engine)` gives a simulation that begins with the state. Single steps, each
    // looked at, find where a difference begins; now and then a simulation is made anew from what
    // it showed. `make_whole(run, engine)` gives the simulation of `start` as a job has it; its
    // whole run is what people use, with its graphs of 32 steps.
    template <class State, class Make, class MakeWhole>
    bool simulation(const std::string &name, const State &start, std::int64_t steps,
                    bool step_by_step, Make &&make, MakeWhole &&make_whole) {
        if (step_by_step) {
            std::vector<std::unique_ptr<Going>> going;
            std::vector<decltype(make(going[0]->run, start, engines_[0]))> simulations;
            for (const Engine &engine : engines_) {
                going.push_back(std::make_unique<Going>(engine));
                simulations.push_back(make(going.back()->run, start, engine));
            }
            for (std::int64_t step = 1; step <= steps; ++step) {
                simulations[0]->advance(1);
                for (std::size_t i = 1; i < engines_.size(); ++i) {
                    simulations[i]->advance(1);
                    if (const auto d = compare(simulations[0]->look(), simulations[i]->look())) {
                        return differs(name, i, "step " + std::to_string(step) + ", " + *d);
                    }
                    if (step % kStepsAnEngine == 0) {
                        simulations[i] = make(going[i]->run, simulations[i]->take(), engines_[i]);
                    }
                }
            }
        }
        const auto run_whole = [&](const Engine &engine) {
            Going going(engine);
            const auto simulation = make_whole(going.run, engine);
            // Looked at half way, as replicas and watched jobs are.
            sim::run_steps(going.run, *simulation, steps / 2);
            simulation->look();
            sim::run_steps(going.run, *simulation, steps - steps / 2);
            return simulation->take();
        };
        const State expected = run_whole(engines_[0]);
        begin(name, digest_of(expected));
        for (std::size_t i = 1; i < engines_.size(); ++i) {
            if (const auto d = compare(expected, run_whole(engines_[i]))) {
                return differs(name, i, "whole run of " + std::to_string(steps) + " steps, " + *d);
            }
            passed();
        }
        std::cout << std::endl;
        return true;
    }

    // The plain engine is not behind the generators: the first CPU engine is what others equal.
    bool generator(const test::GeneratorCase &c) {
        const Artifact expected = c.generate(options_of(engines_[1]));
        begin(c.name, digest_of(expected));
        passed();
        for (std::size_t i = 2; i < engines_.size(); ++i) {
            if (const auto d = compare(expected, c.generate(options_of(engines_[i])))) {
                return differs(c.name, i, *d);
            }
            passed();
        }
        std::cout << std::endl;
        return true;
    }

    // Neither is it behind erosion.
    bool erosion(const test::ErosionCase &c) {
        const std::string name = "erosion/" + c.name;
        const test::Eroded expected = test::erode(c, options_of(engines_[1]));
        begin(name, core::digest(expected.heights.back()));
        passed();
        for (std::size_t i = 2; i < engines_.size(); ++i) {
            const test::Eroded made = test::erode(c, options_of(engines_[i]));
            for (std::size_t k = 0; k < expected.heights.size(); ++k) {
                if (const auto d = compare_fields(expected.heights[k], made.heights[k],
                                                  "heights " + std::to_string(k))) {
                    return differs(name, i, *d);
                }
            }
            if (const auto d = compare_fields(expected.water.step, made.water.step, "step")) {
                return differs(name, i, *d);
            }
            if (const auto d = compare_fields(expected.water.area, made.water.area, "area")) {
                return differs(name, i, *d);
            }
            passed();
        }
        std::cout << std::endl;
        return true;
    }

private:
    static void begin(const std::string &name, std::uint64_t digest) {
        std::cout << std::setw(44) << name << std::setw(20) << seed_to_string(digest)
                  << std::setw(10) << "-";
    }
    static void passed() { std::cout << std::setw(10) << "ok"; }
    bool differs(const std::string &name, std::size_t engine, const std::string &what) const {
        std::cout << "\nDIFFERS: " << name << ", " << engines_[0].name << " and "
                  << engines_[engine].name << ": " << what << std::endl;
        return false;
    }

    std::vector<Engine> engines_;
};

constexpr std::int64_t kMostCellsByStep = 1000000;

// A form of CUDA's engine, if it was asked for one and the maps allow it.
std::unique_ptr<sim::PhysarumEngine> make_form(sim::PhysarumState &state,
                                               const rules::PhysarumRule &rule,
                                               const sim::ControlFields *controls,
                                               const Engine &e) {
    if (!e.tuning || controls != nullptr) {
        return nullptr;
    }
    auto engine = cuda::make_tiled_physarum(e.device, state, rule, *e.tuning);
    if (!engine) {
        throw std::runtime_error("the form '" + e.name + "' does not do this case");
    }
    return engine;
}
std::unique_ptr<sim::Physarum3Engine> make_form(sim::Physarum3State &, const rules::Physarum3Rule &,
                                                const sim::Control3Fields *, const Engine &) {
    return nullptr;
}

bool run_physarum(Parity &parity, const std::string &name, const auto &c) {
    const auto rule = c.rule();
    Options options;
    core::Run spawner(options);
    const auto fields = c.fields(spawner);
    const auto *const controls = fields ? &*fields : nullptr;
    const auto start = sim::spawn(spawner, c.params, rule, c.network, controls);
    const auto make = [&](core::Run &run, auto state, const Engine &e) {
        if (auto engine = make_form(state, rule, controls, e)) {
            return engine;
        }
        return e.kind == sim::EngineKind::plain
                   ? sim::make_plain_physarum(std::move(state), rule, controls)
                   : sim::make_engine(run, std::move(state), rule, controls);
    };
    // Where they can, agents are born on the device.
    const auto make_whole = [&](core::Run &run, const Engine &e) {
        return make(run,
                    e.device.kind == DeviceKind::cuda
                        ? sim::start(run, c.params, rule, c.network, controls)
                        : start,
                    e);
    };
    return parity.simulation(name, start, c.params.steps, c.extent.cells() < kMostCellsByStep, make,
                             make_whole);
}

// Two agents that bring a cell to the largest trail: it must saturate although no crowd comes.
test::PhysarumCase bright_cell() {
    test::PhysarumCase c;
    c.name = "bright-1x1";
    c.params.agent_count = 2;
    c.params.deposit = 1000;
    c.params.retain = 1;
    c.params.steps = 80;
    c.extent = {1, 1};
    return c;
}

// Boards around the sizes at which fast engines change what they do.
std::vector<test::LifeCase> edge_boards() {
    constexpr LifeBoundary kBoundaries[] = {LifeBoundary::torus, LifeBoundary::dead,
                                            LifeBoundary::alive};
    constexpr const char *kRules[] = {"B3/S23", "B5678/S45678", "B03/S23", "B0167/S0478"};
    constexpr std::int64_t kGenerations[] = {1, 7, 8, 9, 33};
    std::vector<test::LifeCase> cases;
    for (const std::int64_t width : {1, 63, 64, 65, 127, 200, 4097}) {
        for (const std::int64_t height : {1, 2, 17, 300}) {
            const std::size_t i = cases.size();
            const std::int64_t generations = kGenerations[width * height > 100000 ? 3 : i % 5];
            cases.push_back({"edge-" + std::to_string(width) + "x" + std::to_string(height),
                             kRules[i % 4],
                             kBoundaries[(i + i / 4) % 3],
                             {width, height},
                             0.45,
                             200 + i,
                             generations});
        }
    }
    return cases;
}

// The engine with a byte a cell, of `karst bench`.
bool byte_life_is_equal(Device device) {
    for (const Extent2 extent : {Extent2{16, 1}, {16, 64}, {48, 65}, {2064, 130}, {4096, 3}}) {
        Options options;
        core::Run run(options);
        const LifeBoard soup = make_soup(extent, 0.4, 7);
        const auto engine = cuda::make_byte_life(device, soup);
        engine->advance(33);
        if (digest(engine->take()) !=
            digest(sim::advance(run, soup, {}, LifeBoundary::torus, 33))) {
            std::cout << "life-int8/" << extent.width << "x" << extent.height << ": differs\n";
            return false;
        }
    }
    std::cout << "life-int8: equal\n";
    return true;
}

bool run_all(Parity &parity, test::Selection selection, const std::string &prefix) {
    const auto wanted = [&](const std::string &name) { return name.starts_with(prefix); };
    auto maps = test::physarum_cases(selection);
    if (selection != test::Selection::large) {
        maps.push_back(bright_cell());
    }
    for (const auto &c : maps) {
        if (wanted("physarum/" + c.name) && !run_physarum(parity, "physarum/" + c.name, c)) {
            return false;
        }
    }
    for (const auto &c : test::physarum3_cases(selection)) {
        if (wanted("physarum3/" + c.name) && !run_physarum(parity, "physarum3/" + c.name, c)) {
            return false;
        }
    }
    const auto life = [&](const std::string &name, const auto &c, const auto &rule,
                          const auto &soup) {
        const auto make = [&](core::Run &run, auto board, const Engine &e) {
            return e.kind == sim::EngineKind::plain
                       ? sim::make_plain_life(board, rule, c.boundary)
                       : sim::make_engine(run, std::move(board), rule, c.boundary);
        };
        return parity.simulation(
            name + c.name, soup, c.generations, c.extent.cells() < kMostCellsByStep, make,
            [&](core::Run &run, const Engine &e) { return make(run, soup, e); });
    };
    for (const auto &c : test::life_cases(selection)) {
        if (wanted("life/" + c.name) &&
            !life("life/", c, parse_life_rule(c.rule), make_soup(c.extent, c.density, c.seed))) {
            return false;
        }
    }
    if (selection != test::Selection::large) {
        for (const auto &c : edge_boards()) {
            if (wanted("life/" + c.name) && !life("life/", c, parse_life_rule(c.rule),
                                                  make_soup(c.extent, c.density, c.seed))) {
                return false;
            }
        }
    }
    for (const auto &c : test::life_volume_cases(selection)) {
        if (wanted("life3/" + c.name) && !life("life3/", c, parse_life_rule_3d(c.rule),
                                               make_soup_3d(c.extent, c.density, c.seed))) {
            return false;
        }
    }
    for (const auto &c : test::erosion_cases()) {
        if (wanted("erosion/" + c.name) && !parity.erosion(c)) {
            return false;
        }
    }
    return std::ranges::all_of(test::generator_cases(selection), [&](const auto &c) {
        return !wanted(c.name) || parity.generator(c);
    });
}

} // namespace

int main(int count, char **arguments) {
    bool cuda_required = false;
    bool cuda_wanted = true;
    auto selection = test::Selection::all;
    std::string prefix;
    for (int i = 1; i < count; ++i) {
        const std::string argument = arguments[i];
        const std::string value = i + 1 < count ? arguments[i + 1] : "";
        if (argument == "--quick") {
            selection = test::Selection::quick;
        } else if (argument == "--large") {
            selection = test::Selection::large;
        } else if (argument == "--device" && (value == "cpu" || value == "cuda")) {
            cuda_required = value == "cuda";
            cuda_wanted = cuda_required;
            ++i;
        } else if (argument == "--cases" && i + 1 < count) {
            prefix = value;
            ++i;
        } else {
            std::cerr << "karst_parity: '" << argument
                      << "' is not known; allowed is [--device cpu|cuda] [--quick | --large] "
                         "[--cases PREFIX]\n";
            return 2;
        }
    }
    std::vector<Engine> engines{{"plain", {}, 1, sim::EngineKind::plain}};
    for (const int threads : {1, 2, 7}) {
        engines.push_back({"cpu x" + std::to_string(threads), {}, threads, sim::EngineKind::fast});
    }
    std::vector<Device> devices; // of CUDA
    for (const DeviceInfo &info : available_devices()) {
        std::cout << to_string(info.device) << ": " << info.name << '\n';
        if (info.device.kind == DeviceKind::cuda && cuda_wanted) {
            devices.push_back(info.device);
            engines.push_back({to_string(info.device), info.device, 0, sim::EngineKind::fast});
            if (prefix == "physarum/") {
                cuda::PhysarumTuning dense;
                dense.form = cuda::dense_tiles;
                cuda::PhysarumTuning sparse;
                sparse.form = cuda::sparse_tiles;
                engines.push_back({"dense", info.device, 0, sim::EngineKind::fast, dense});
                engines.push_back({"sparse", info.device, 0, sim::EngineKind::fast, sparse});
            }
        }
    }
    if (cuda_required && engines.size() == 4) {
        std::cerr << "karst_parity: there is no CUDA device\n";
        return 4;
    }
    try {
        Parity parity(std::move(engines));
        if (!run_all(parity, selection, prefix) ||
            !test::run_compiled_rules(devices, selection, prefix)) {
            return 1;
        }
        if (!devices.empty() && std::string("life-int8").starts_with(prefix) &&
            !byte_life_is_equal(devices.front())) {
            return 1;
        }
        if (selection != test::Selection::quick && !test::run_tunings(devices, prefix)) {
            return 1;
        }
        std::cout << "all equal\n";
        return 0;
    } catch (const std::exception &error) {
        std::cerr << "\nkarst_parity: " << error.what() << '\n';
        return 1;
    }
}

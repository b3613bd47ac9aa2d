// Shows that the simulations of karst/cuda.hpp give the bytes of the host's functions, on streams
// and into memory that are not karst's, and that none of their calls waits for the device.
//
//   karst_cuda_interop
//
// Exit status 0: all is so, 1: the faults are printed, 77: there is no CUDA device.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <karst/cuda.hpp>
#include <karst/tuning.hpp>

using namespace karst;

namespace {

std::atomic<int> faults = 0;

void expect(bool good, const std::string &what) {
    if (!good) {
        ++faults;
        std::cout << "FAULT: " + what + "\n" << std::flush;
    }
}

// The test's own calls.
void must(cudaError_t status) {
    if (status != cudaSuccess) {
        std::cout << "CUDA: " << cudaGetErrorString(status) << std::endl;
        std::_Exit(1);
    }
}

class OwnStream {
public:
    OwnStream() { must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    ~OwnStream() { must(cudaStreamDestroy(stream_)); }
    OwnStream(const OwnStream &) = delete;
    OwnStream &operator=(const OwnStream &) = delete;
    operator cudaStream_t() const { return stream_; }

private:
    cudaStream_t stream_ = nullptr;
};

constexpr int kFill = 0xab; // what lies between the rows

// Rows in device memory, more than `width` apart, and after the last one too.
template <class T>
class Rows {
public:
    Rows(std::int64_t width, std::int64_t height, std::int64_t gap, std::int64_t offset = 0)
        : width_(width), height_(height), pitch_(width + gap), offset_(offset),
          size_(static_cast<std::size_t>(pitch_ * height + offset)) {
        must(cudaMalloc(&memory_, size_ * sizeof(T)));
        must(cudaMemset(memory_, kFill, size_ * sizeof(T)));
        must(cudaDeviceSynchronize()); // the streams here do not wait for the default stream
    }
    ~Rows() { must(cudaFree(memory_)); }
    Rows(const Rows &) = delete;
    Rows &operator=(const Rows &) = delete;

    T *data() const { return memory_ + offset_; }
    std::int64_t pitch() const { return pitch_; }

    // The cells in order; nothing if the memory between them has changed.
    std::optional<std::vector<T>> read(cudaStream_t stream) const {
        std::vector<T> all(size_);
        must(cudaMemcpyAsync(all.data(), memory_, size_ * sizeof(T), cudaMemcpyDeviceToHost,
                             stream));
        must(cudaStreamSynchronize(stream));
        T fill;
        std::memset(&fill, kFill, sizeof fill);
        std::vector<T> cells;
        for (std::size_t i = 0; i < size_; ++i) {
            const auto at = static_cast<std::int64_t>(i) - offset_;
            if (at >= 0 && at % pitch_ < width_) {
                cells.push_back(all[i]);
            } else if (std::memcmp(&all[i], &fill, sizeof fill) != 0) {
                return std::nullopt;
            }
        }
        return cells;
    }

private:
    std::int64_t width_, height_, pitch_, offset_;
    std::size_t size_;
    T *memory_ = nullptr;
};

template <class T, class U>
void expect_cells(const std::optional<std::vector<T>> &cells, const U &wanted,
                  const std::string &what) {
    expect(cells.has_value(), what + ": memory between the rows was written");
    expect(!cells || std::equal(cells->begin(), cells->end(), wanted.begin(), wanted.end()),
           what + ": other cells than on the host");
}

// The forms of a step, which a tuning chooses.
constexpr std::int32_t kByThresholds = 0, kTwoKernels = 1, kDense = 2, kSparse = 3;

Options with_form(std::int32_t form) {
    auto tuning = std::make_shared<Tuning>();
    for (int cells = 0; cells <= 30; ++cells) {
        for (int agents = -20; agents <= 8; ++agents) {
            tuning->choices.push_back({"physarum", cells, agents, {{"form", form}}});
        }
    }
    Options options;
    options.tuning = [tuning](Device) { return tuning.get(); };
    return options;
}

struct PhysarumCase {
    std::string name;
    Extent2 extent;
    PhysarumParams params;
    std::int32_t form = kByThresholds;
};

PhysarumParams with_density(double density) {
    PhysarumParams params;
    params.agent_density = density;
    return params;
}

std::vector<PhysarumCase> physarum_cases() {
    std::vector<PhysarumCase> cases = {{"physarum 1x1", {1, 1}, with_density(1)},
                                       {"physarum 1x300", {1, 300}, with_density(0.5)},
                                       {"physarum 515x3", {515, 3}, with_density(0.5)},
                                       {"physarum without agents", {70, 50}, with_density(0)},
                                       {"physarum 640x512", {640, 512}, with_density(0.15)},
                                       {"physarum 700x701 dense", {700, 701}, with_density(1.5)}};
    for (const std::int32_t form : {kTwoKernels, kDense, kSparse}) {
        const std::string name = form == kTwoKernels ? "two kernels "
                                 : form == kDense    ? "dense "
                                                     : "sparse ";
        PhysarumParams params = with_density(0.4);
        cases.push_back({name + "torus", {257, 131}, params, form});
        params.birth_time = true;
        params.boundary = Boundary::bounded;
        cases.push_back({name + "bounded, birth times", {256, 192}, params, form});
        params.steering = Steering::softmax;
        params.agent_count = 5000;
        params.spawn = Spawn::ring;
        params.step_size = 3.3;
        params.sensor_offset = 5.5;
        cases.push_back({name + "softmax, a ring of 5000", {203, 311}, params, form});
    }
    return cases;
}

PhysarumResult on_host(PhysarumParams params, Extent2 extent, std::uint64_t seed,
                       std::int64_t steps) {
    params.steps = steps;
    return simulate_physarum(params, extent, seed);
}

std::vector<float> as_floats(std::span<const std::uint32_t> trail) {
    std::vector<float> floats;
    for (const std::uint32_t cell : trail) {
        floats.push_back(static_cast<float>(cell) / 65536);
    }
    return floats;
}

// Copies at several steps, all put on the stream before the first is looked at.
void check_physarum(const PhysarumCase &its) {
    constexpr std::uint64_t kSeed = 11;
    const std::int64_t stops[] = {0, 1, 2, 34, 35, 131};
    const OwnStream stream;
    DevicePhysarum simulation(its.params, its.extent, kSeed, stream, with_form(its.form));
    expect(simulation.extent() == its.extent, its.name + ": extent");
    struct Copies {
        Rows<std::uint32_t> trail;
        Rows<float> floats;
        Rows<std::uint16_t> births;
    };
    std::vector<std::unique_ptr<Copies>> copies;
    for (std::int64_t gap = 0; gap < std::ssize(stops); ++gap) {
        const auto rows = [&]<class T>(std::type_identity<T>) {
            return Rows<T>(its.extent.width, its.extent.height, gap);
        };
        copies.emplace_back(new Copies{rows(std::type_identity<std::uint32_t>()),
                                       rows(std::type_identity<float>()),
                                       rows(std::type_identity<std::uint16_t>())});
    }
    for (std::size_t i = 0; i < std::size(stops); ++i) {
        const Copies &to = *copies[i];
        simulation.advance(stops[i] - simulation.step());
        expect(simulation.step() == stops[i], its.name + ": step");
        if (its.params.birth_time && i % 2 == 0) { // first, and after the trail
            simulation.copy_birth_times(to.births.data(), to.births.pitch());
        }
        simulation.copy_trail(to.trail.data(), to.trail.pitch());
        simulation.copy_trail(to.floats.data(), to.floats.pitch());
        if (its.params.birth_time && i % 2 == 1) {
            simulation.copy_birth_times(to.births.data(), to.births.pitch());
        }
    }
    for (std::size_t i = 0; i < std::size(stops); ++i) {
        const PhysarumResult wanted = on_host(its.params, its.extent, kSeed, stops[i]);
        const std::string name = its.name + " after " + std::to_string(stops[i]);
        expect_cells(copies[i]->trail.read(stream), wanted.trail.cells(), name);
        expect_cells(copies[i]->floats.read(stream), as_floats(wanted.trail.cells()),
                     name + " as floats");
        if (its.params.birth_time) {
            expect_cells(copies[i]->births.read(stream), wanted.birth_time.cells(),
                         name + " birth times");
        }
    }
}

std::vector<std::uint8_t> as_bytes(const LifeBoard &board) {
    std::vector<std::uint8_t> bytes;
    for (std::int64_t y = 0; y < board.extent().height; ++y) {
        for (std::int64_t x = 0; x < board.extent().width; ++x) {
            bytes.push_back(board.alive(x, y) ? 1 : 0);
        }
    }
    return bytes;
}

void check_life(Extent2 extent, const char *rule_text, LifeBoundary boundary) {
    const std::string what = std::string("life ") + rule_text + " " + std::to_string(extent.width) +
                             "x" + std::to_string(extent.height) + " boundary " +
                             std::to_string(static_cast<int>(boundary));
    const LifeRule rule = parse_life_rule(rule_text);
    LifeBoard board = make_soup(extent, 0.4, 5);
    const OwnStream stream;
    DeviceLife simulation(board, rule, boundary, stream);
    expect(simulation.extent() == extent, what + ": extent");
    std::int64_t gap = 0;
    for (const std::int64_t stop : {0, 1, 8, 39, 100}) {
        const Rows<std::uint64_t> words(board.words().width(), extent.height, gap);
        const Rows<std::uint8_t> bytes(extent.width, extent.height, gap, gap % 3);
        const std::int64_t now = stop - simulation.generation();
        simulation.advance(now);
        simulation.copy_words(words.data(), words.pitch());
        simulation.copy_cells(bytes.data(), bytes.pitch());
        board = simulate_life(board, rule, boundary, now);
        const std::string name = what + " after " + std::to_string(stop);
        expect_cells(words.read(stream), board.words().cells(), name);
        expect_cells(bytes.read(stream), as_bytes(board), name + " as bytes");
        expect(simulation.generation() == stop, name + ": generation");
        ++gap;
    }
}

// A stream on which the device waits until it is told to go on.
class Gate {
public:
    explicit Gate(cudaStream_t stream) {
        must(cudaLaunchHostFunc(
            stream,
            [](void *raw) {
                auto &open = *static_cast<std::atomic<bool> *>(raw);
                while (!open) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
            },
            &open_));
    }
    ~Gate() { open(); }
    Gate(const Gate &) = delete;
    Gate &operator=(const Gate &) = delete;
    void open() { open_ = true; }

private:
    std::atomic<bool> open_ = false;
};

// Whether `calls` return although the device stands still. They run on a thread of their own.
bool returns_behind(Gate &gate, const std::function<void()> &calls) {
    auto done = std::async(std::launch::async, calls);
    const bool in_time = done.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
    gate.open();
    done.get();
    return in_time;
}

// `work` advances and copies; `end` ends the simulation.
void check_waits_for_nobody(const std::string &name, cudaStream_t stream,
                            const std::function<void()> &work, const std::function<void()> &end) {
    Gate gate(stream);
    const bool returned = returns_behind(gate, [&] {
        work();
        end();
        expect(cudaStreamQuery(stream) == cudaErrorNotReady, name + ": the stream was not blocked");
    });
    expect(returned, name + ": a call waited for the stream");
    must(cudaStreamSynchronize(stream)); // before the gate ends
}

// Before anything else has loaded a kernel.
void check_asynchronous() {
    const Extent2 extent{700, 701};
    for (const std::int32_t form : {kDense, kSparse, kTwoKernels}) {
        const std::string name = "blocked stream, form " + std::to_string(form);
        PhysarumParams params = with_density(1);
        params.birth_time = true;
        const OwnStream stream;
        const Rows<std::uint32_t> trail(extent.width, extent.height, 2);
        const Rows<float> floats(extent.width, extent.height, 0);
        const Rows<std::uint16_t> births(extent.width, extent.height, 1);
        std::optional<DevicePhysarum> simulation(std::in_place, params, extent, 3, stream,
                                                 with_form(form));
        check_waits_for_nobody(
            name, stream,
            [&] {
                simulation->advance(7);
                simulation->copy_trail(floats.data(), floats.pitch());
                simulation->advance(50); // more than between two sortings
                simulation->copy_trail(trail.data(), trail.pitch());
                simulation->copy_birth_times(births.data(), births.pitch());
            },
            [&] { simulation.reset(); });
        const PhysarumResult wanted = on_host(params, extent, 3, 57);
        expect_cells(trail.read(stream), wanted.trail.cells(), name);
        expect_cells(births.read(stream), wanted.birth_time.cells(), name + " birth times");
        expect_cells(floats.read(stream), as_floats(on_host(params, extent, 3, 7).trail.cells()),
                     name + " as floats");
    }
    for (const char *rule : {"B3/S23", "B36/S23"}) {
        const std::string name = std::string("blocked stream, life ") + rule;
        const LifeBoard soup = make_soup(extent, 0.4, 5);
        const OwnStream stream;
        const Rows<std::uint64_t> words(soup.words().width(), extent.height, 1);
        const Rows<std::uint8_t> bytes(extent.width, extent.height, 2);
        std::optional<DeviceLife> simulation(std::in_place, soup, parse_life_rule(rule),
                                             LifeBoundary::torus, stream);
        check_waits_for_nobody(
            name, stream,
            [&] {
                simulation->advance(15); // a pass of each kind
                simulation->copy_cells(bytes.data(), bytes.pitch());
                simulation->advance(100);
                simulation->copy_words(words.data(), words.pitch());
            },
            [&] { simulation.reset(); });
        const auto host = [&](std::int64_t generations) {
            return simulate_life(soup, parse_life_rule(rule), LifeBoundary::torus, generations);
        };
        expect_cells(words.read(stream), host(115).words().cells(), name);
        expect_cells(bytes.read(stream), as_bytes(host(15)), name + " as bytes");
    }
}

// Several simulations a thread, whose windows and sizes differ, several threads.
void check_threads() {
    const auto work = [](int number) {
        const std::string name = "thread " + std::to_string(number);
        const Extent2 extent{400 + 37 * number, 300};
        PhysarumParams params = with_density(1);
        params.sensor_offset = 4 + 5 * number;
        const LifeBoard soup = make_soup({1000, 500}, 0.4, static_cast<std::uint64_t>(number));
        const OwnStream physarum_stream;
        const OwnStream life_stream;
        const Rows<std::uint32_t> trail(extent.width, extent.height, number);
        const Rows<std::uint64_t> words(soup.words().width(), 500, number);
        for (std::uint64_t round = 0; round < 5; ++round) {
            DevicePhysarum physarum(params, extent, round, physarum_stream, with_form(kDense));
            DeviceLife life(soup, {}, LifeBoundary::dead, life_stream);
            for (int i = 0; i < 20; ++i) {
                physarum.advance(3);
                life.advance(5);
                physarum.copy_trail(trail.data(), trail.pitch());
                life.copy_words(words.data(), words.pitch());
            }
            expect_cells(trail.read(physarum_stream),
                         on_host(params, extent, round, 60).trail.cells(), name);
            expect_cells(words.read(life_stream),
                         simulate_life(soup, {}, LifeBoundary::dead, 100).words().cells(),
                         name + " life");
        }
    };
    std::vector<std::thread> threads;
    for (int number = 0; number < 3; ++number) {
        threads.emplace_back(work, number);
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
}

// What the caller has set stays; other kinds of streams and memory; moves.
void check_manners() {
    int devices = 0;
    must(cudaGetDeviceCount(&devices));
    const Extent2 extent{300, 200};
    const PhysarumParams params = with_density(0.3);
    const OwnStream stream; // of device 0
    const Rows<std::uint32_t> trail(extent.width, extent.height, 0);
    const int other = devices > 1 ? 1 : 0;
    must(cudaSetDevice(other));
    const auto still = [](const std::string &what) {
        expect(cudaPeekAtLastError() == cudaErrorInvalidDevice,
               "the caller's last error has changed: " + what);
        expect(cudaSetDevice(12345) == cudaErrorInvalidDevice, "an error for cudaGetLastError()");
    };
    expect(cudaSetDevice(12345) == cudaErrorInvalidDevice, "an error for cudaGetLastError()");
    for (const std::int32_t form : {kTwoKernels, kDense, kSparse}) {
        const std::string name = "form " + std::to_string(form);
        DevicePhysarum first(params, extent, 1, stream, with_form(form));
        expect(cudaSetDevice(12345) == cudaErrorInvalidDevice, "an error for cudaGetLastError()");
        DevicePhysarum simulation = std::move(first);
        simulation.advance(40);
        still("advanced, " + name);
        first = std::move(simulation);
        first.advance(0);
        first.copy_trail(trail.data(), trail.pitch());
        still("copied, " + name);
    }
    {
        DeviceLife life(make_soup({64, 64}, 0.4, 1), {}, LifeBoundary::torus, stream);
        expect(cudaSetDevice(12345) == cudaErrorInvalidDevice, "an error for cudaGetLastError()");
        life.advance(9);
        still("Life advanced");
    }
    still("ended");
    int device = -1;
    cudaGetLastError();
    must(cudaGetDevice(&device));
    expect(device == other, "another device is current than before");
    must(cudaSetDevice(0));
    const auto wanted = on_host(params, extent, 1, 40).trail;
    expect_cells(trail.read(stream), wanted.cells(), "with another device current");

    for (const cudaStream_t common : {cudaStream_t{nullptr}, cudaStreamPerThread}) {
        std::uint32_t *managed = nullptr;
        must(cudaMallocManaged(&managed, static_cast<std::size_t>(extent.cells()) * 4));
        DevicePhysarum simulation(params, extent, 1, common);
        simulation.advance(40);
        simulation.copy_trail(managed, extent.width);
        must(cudaStreamSynchronize(common));
        expect(std::equal(wanted.cells().begin(), wanted.cells().end(), managed),
               "default stream, managed memory");
        must(cudaFree(managed));
    }
}

template <class F>
void expect_error(ErrorCode code, const std::string &text, F &&call) {
    try {
        call();
        expect(false, "no error '" + text + "'");
    } catch (const Error &error) {
        expect(error.code() == code && std::string(error.what()).find(text) != std::string::npos,
               "'" + std::string(error.what()) + "' instead of '" + text + "'");
    }
}

void check_errors() {
    constexpr ErrorCode kInvalid = ErrorCode::invalid_argument;
    const Extent2 extent{64, 32};
    const OwnStream stream;
    const Rows<std::uint32_t> trail(64, 32, 0);
    const Rows<std::uint8_t> cells(64, 32, 0);
    const Rows<std::uint64_t> words(1, 32, 0);
    std::vector<std::uint32_t> host(2048);
    DevicePhysarum physarum({}, extent, 1, stream);
    DeviceLife life(make_soup(extent, 0.4, 1), {}, LifeBoundary::torus, stream);
    const auto all_work = [&] {
        physarum.advance(33);
        life.advance(33);
        physarum.copy_trail(trail.data(), 64);
        life.copy_cells(cells.data(), 64);
        life.copy_words(words.data(), 1);
    };
    expect_error(kInvalid, "steps is -1", [&] { physarum.advance(-1); });
    expect_error(kInvalid, "steps is 4294967296", [&] { physarum.advance(std::int64_t{1} << 32); });
    expect_error(kInvalid, "generations is -1", [&] { life.advance(-1); });
    expect_error(kInvalid, "pitch is 63; allowed is 64",
                 [&] { physarum.copy_trail(trail.data(), 63); });
    expect_error(kInvalid, "pitch is -64", [&] { life.copy_cells(cells.data(), -64); });
    expect_error(kInvalid, "pitch is 0; allowed is 1", [&] { life.copy_words(words.data(), 0); });
    expect_error(kInvalid, "null pointer",
                 [&] { physarum.copy_trail(static_cast<std::uint32_t *>(nullptr), 64); });
    expect_error(kInvalid, "memory of the host", [&] { physarum.copy_trail(host.data(), 64); });
    expect_error(kInvalid, "birth_time is off",
                 [&] { physarum.copy_birth_times(reinterpret_cast<std::uint16_t *>(1), 64); });
    expect_error(kInvalid, "width is 0",
                 [&] { DeviceLife(LifeBoard(), {}, LifeBoundary::torus, stream); });
    expect_error(kInvalid, "height is 0", [&] { DevicePhysarum({}, {5, 0}, 1, stream); });
    expect_error(kInvalid, "retain", [&] { DevicePhysarum({.retain = 2}, extent, 1, stream); });
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    expect_error(ErrorCode::unsupported, "captured", [&] { physarum.advance(1); });
    expect_error(ErrorCode::unsupported, "captured", [&] { life.copy_cells(cells.data(), 64); });
    expect_error(ErrorCode::unsupported, "captured",
                 [&] { DevicePhysarum({}, extent, 1, stream); });
    cudaGraph_t graph = nullptr;
    must(cudaStreamEndCapture(stream, &graph)); // the capture is whole
    must(cudaGraphDestroy(graph));
    all_work();
    expect_cells(trail.read(stream), on_host({}, extent, 1, 33).trail.cells(), "after the errors");
}

// A child of fork() is told and does no harm. Its own faults are its exit status.
void check_fork() {
    const OwnStream stream;
    const PhysarumParams params;
    const Extent2 extent{64, 32};
    auto simulation = std::make_unique<DevicePhysarum>(params, extent, 1u, stream);
    std::cout << std::flush;
    const pid_t child = fork();
    if (child == 0) {
        constexpr const char *kText = "forked after karst had opened CUDA";
        faults = 0;
        expect(available_devices().size() == 1, "a child sees CUDA devices");
        expect(best_device() == Device{}, "a child's best device is not the CPU");
        expect_error(ErrorCode::device_failure, kText, [&] { simulation->advance(1); });
        expect_error(ErrorCode::device_failure, kText,
                     [&] { DevicePhysarum(params, extent, 1, stream); });
        simulation.reset();
        Options options;
        options.device = {DeviceKind::cuda, 0};
        expect_error(ErrorCode::device_failure, kText,
                     [&] { simulate_physarum(params, extent, 1, options); });
        options.device = {DeviceKind::automatic, 0};
        expect(simulate_physarum(params, extent, 1, options).trail ==
                   simulate_physarum(params, extent, 1).trail,
               "a child on the CPU");
        std::_Exit(faults == 0 ? 0 : 1);
    }
    int status = -1;
    expect(child > 0 && waitpid(child, &status, 0) == child, "fork");
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a forked child");
    simulation->advance(1); // the parent goes on
    must(cudaStreamSynchronize(stream));
}

} // namespace

int main() try {
    int devices = 0;
    const cudaError_t status = cudaGetDeviceCount(&devices);
    if (status != cudaSuccess || devices == 0) {
        std::cout << "no CUDA device: " << cudaGetErrorString(status) << "\n";
        expect_error(ErrorCode::no_device, "no CUDA device", [] {
            DevicePhysarum({}, {8, 8}, 1, nullptr);
        });
        expect_error(ErrorCode::no_device, "no CUDA device", [] {
            DeviceLife(make_soup({8, 8}, 0.5, 1), {}, LifeBoundary::torus, nullptr);
        });
        return faults == 0 ? 77 : 1;
    }
    check_asynchronous();
    for (const PhysarumCase &its : physarum_cases()) {
        check_physarum(its);
    }
    for (const char *rule : {"B3/S23", "B5678/S45678", "B36/S23"}) {
        for (const LifeBoundary boundary :
             {LifeBoundary::torus, LifeBoundary::dead, LifeBoundary::alive}) {
            for (const Extent2 extent :
                 {Extent2{1, 1}, {1, 70}, {63, 5}, {64, 64}, {65, 1}, {130, 33}, {1027, 300}}) {
                check_life(extent, rule, boundary);
            }
        }
    }
    check_threads();
    check_manners();
    check_errors();
    check_fork();
    std::cout << (faults == 0 ? "all as on the host\n" : "there are faults\n");
    return faults == 0 ? 0 : 1;
} catch (const Error &error) {
    std::cout << "FAULT: " << error.what() << "\n";
    return 1;
}

#include "lab/seed_sensitivity.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include <karst/error.hpp>

#include "core/joined.hpp"
#include "core/run.hpp"
#include "core/thread_pool.hpp"
#include "lab/draws.hpp"
#include "sim/devices.hpp"

namespace karst::lab {

namespace {

constexpr std::int64_t kTrials = 16'384; // samples of the random numbers
constexpr const char *kPilot = "base seeds, whose spread tells how many more are needed";

// Of base seed `index`: its own, then those of its partners.
std::uint64_t seed_of(std::uint64_t base, std::int64_t index, int partner) {
    const core::Draw4 draw =
        core::philox4x32(static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(partner), 0,
                         use(slot_seeds), base);
    return draw.word[0] | (std::uint64_t{draw.word[1]} << 32);
}

void check(const SeedSettings &settings) {
    const auto reject = [](const std::string &what) {
        throw Error(ErrorCode::invalid_argument, what);
    };
    const auto &bits = settings.bits;
    if (bits.empty() || bits.front() < 0 || bits.back() > 63 ||
        std::adjacent_find(bits.begin(), bits.end(), std::greater_equal<>()) != bits.end()) {
        reject("the bits are " + core::joined(bits, [](int bit) { return std::to_string(bit); }) +
               "; allowed are one or more of 0 to 63, rising");
    }
    const auto require_seeds = [&](const char *name, std::int64_t seeds) {
        if (seeds < 2 || seeds > kMostSeeds) {
            reject(std::string(name) + " is " + std::to_string(seeds) + "; allowed is 2 to " +
                   std::to_string(kMostSeeds));
        }
    };
    if (settings.seeds) {
        require_seeds("seeds", *settings.seeds);
    }
    if (settings.repeat_seeds != 0) {
        require_seeds("repeat", settings.repeat_seeds);
    }
}

// "3, 17 and 20 more".
std::string list_of(const std::vector<int> &bits) {
    constexpr std::size_t kShown = 8;
    const std::vector<int> first(
        bits.begin(), bits.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, bits.size())));
    return core::joined(first, [](int bit) { return std::to_string(bit); }) +
           (bits.size() > kShown ? " and " + std::to_string(bits.size() - kShown) + " more" : "");
}

class Measurement {
public:
    Measurement(const Subject &subject, const SeedSettings &settings, const Options &options,
                const SeedHooks &hooks)
        : subject_(subject), settings_(settings), options_(options), hooks_(hooks),
          pool_(options.threads > 0 ? options.threads : core::usable_threads()) {
        options_.executor = nullptr;
        if (options_.memory_limit == 0) {
            options_.memory_limit = std::max<std::uint64_t>(
                1, core::available_memory() / static_cast<std::uint64_t>(pool_.concurrency()));
        }
        for (const SeedSample &sample : hooks.known) {
            samples_.emplace(sample.index, sample);
        }
    }

    SeedReport run() {
        look_first();
        const std::size_t bits = settings_.bits.size();
        SeedReport report;
        report.settings = settings_;
        const std::int64_t pilot = settings_.seeds.value_or(kPilotSeeds);
        std::vector<SeedSample> found =
            collect(0, pilot, settings_.bits, settings_.seeds ? "base seeds" : kPilot);
        report.variation = variation_of(quantities_, found, bits, settings_.margin);
        report.needed = needed(report.variation);
        if (!settings_.seeds && report.needed > pilot) {
            found = collect(0, std::min(report.needed, kMostSeeds), settings_.bits, "base seeds");
        }
        report.seeds = static_cast<std::int64_t>(found.size());
        report.runs = report.seeds * runs_a_seed(settings_.bits);
        report.found = rows_of(quantities_, found, bits, settings_.margin, settings_.level);
        if (settings_.repeat_seeds != 0) {
            repeat(report);
        }
        list_unmet(report);
        return report;
    }

private:
    static std::int64_t runs_a_seed(const std::vector<int> &bits) {
        return static_cast<std::int64_t>(bits.size()) + kPartners + 1;
    }

    // What there is to measure, and how long a run takes once a device is open.
    void look_first() {
        const bool automatic = options_.device.kind == DeviceKind::automatic;
        if (automatic) {
            options_.device = Device{};
        }
        first_ = subject_.look(seed_of(settings_.base, 0, 0), options_);
        quantities_ = quantities_of(first_);
        if (automatic) {
            choose_device();
        } else if (hooks_.plan) {
            seconds_a_run_ = seconds_on(options_.device);
        }
        if (std::none_of(quantities_.begin(), quantities_.end(),
                         [](const Quantity &quantity) { return quantity.judged; })) {
            throw Error(ErrorCode::unsupported,
                        "nothing of this job can be compared; allowed is one that makes maps");
        }
        for (const auto &[index, sample] : samples_) {
            if (sample.values.size() != quantities_.size() ||
                sample.base.size() != quantities_.size()) {
                throw Error(ErrorCode::invalid_argument,
                            "a kept base seed has " + std::to_string(sample.values.size()) +
                                " quantities; allowed are " + std::to_string(quantities_.size()));
            }
        }
    }

    double seconds_on(Device device) const {
        Options own = options_;
        own.device = device;
        const double start = core::clock_seconds();
        subject_.look(seed_of(settings_.base, 0, 1), own);
        return core::clock_seconds() - start;
    }

    // The runs of all threads share one CUDA device, and small ones hardly overlap there: on an
    // H200 with 16 threads maps of 256 x 256 came slower than from the 16 cores. So it is worth
    // its while where one run takes less of it than a thread's share of the CPU.
    void choose_device() {
        seconds_a_run_ = seconds_on(options_.device);
        constexpr double kQuick = 0.002; // s; not worth opening a device
        const Device best = seconds_a_run_ < kQuick ? Device{} : best_device();
        if (best.kind == DeviceKind::cpu) {
            return;
        }
        try {
            seconds_on(best); // opens it
            const double seconds = seconds_on(best);
            if (seconds * pool_.concurrency() < seconds_a_run_) {
                options_.device = best;
                seconds_a_run_ = seconds;
                may_leave_device_ = true;
            }
        } catch (const cuda::Refusal &) {
        }
    }

    std::int64_t needed(double variation) const {
        if (!(variation > 0)) {
            return 0; // nothing varies, and no number of seeds would change that
        }
        Power power;
        power.variation = variation;
        power.margin = settings_.margin;
        power.level = settings_.level;
        power.power = settings_.power;
        power.tests = static_cast<std::int64_t>(settings_.bits.size()) *
                      std::count_if(quantities_.begin(), quantities_.end(),
                                    [](const Quantity &quantity) { return quantity.judged; });
        return pairs_needed(power);
    }

    // Those of base seeds [first, first + count); what is known is not measured again.
    std::vector<SeedSample> collect(std::int64_t first, std::int64_t count,
                                    const std::vector<int> &bits, const char *part) {
        std::vector<std::int64_t> missing;
        for (std::int64_t index = first; index < first + count; ++index) {
            if (samples_.count(index) == 0) {
                missing.push_back(index);
            }
        }
        part_ = part;
        done_ = 0;
        all_ = static_cast<std::int64_t>(missing.size()) * runs_a_seed(bits);
        if (hooks_.plan && all_ > 0) {
            hooks_.plan({std::to_string(count) + " " + part, all_, seconds_a_run_, options_.device,
                         static_cast<int>(std::min<std::int64_t>(
                             pool_.concurrency(), static_cast<std::int64_t>(missing.size())))});
        }
        try {
            measure_all(missing, bits);
        } catch (const cuda::Refusal &) {
            if (!may_leave_device_) {
                throw;
            }
            may_leave_device_ = false;
            options_.device = Device{};
            std::erase_if(missing, [this](auto index) { return samples_.count(index) != 0; });
            measure_all(missing, bits);
        }
        std::vector<SeedSample> samples;
        for (std::int64_t index = first; index < first + count; ++index) {
            samples.push_back(samples_.at(index));
            require_columns(samples.back(), bits);
        }
        return samples;
    }

    void measure_all(const std::vector<std::int64_t> &indices, const std::vector<int> &bits) {
        struct Context {
            Measurement *self;
            const std::vector<std::int64_t> *indices;
            const std::vector<int> *bits;
        } context{this, &indices, &bits};
        pool_.run(
            static_cast<std::int64_t>(indices.size()),
            [](void *raw, std::int64_t i) {
                const Context &c = *static_cast<Context *>(raw);
                c.self->measure((*c.indices)[static_cast<std::size_t>(i)], *c.bits);
            },
            &context);
    }

    void require_columns(const SeedSample &sample, const std::vector<int> &bits) const {
        for (const auto &values : sample.values) {
            if (values.size() != bits.size() + kPartners) {
                throw Error(ErrorCode::invalid_argument,
                            "a kept base seed has " + std::to_string(values.size()) +
                                " runs; allowed are " + std::to_string(bits.size() + kPartners));
            }
        }
    }

    // One base seed, on the thread that calls.
    void measure(std::int64_t index, const std::vector<int> &bits) {
        const std::uint64_t seed = seed_of(settings_.base, index, 0);
        const Sight base = look(seed);
        SeedSample sample;
        sample.index = index;
        sample.values.resize(quantities_.size());
        for (const Quantity &quantity : quantities_) {
            sample.base.push_back(measured_alone(quantity, base));
        }
        const auto compare = [&](std::uint64_t other) {
            const Sight sight = look(other);
            for (std::size_t i = 0; i < quantities_.size(); ++i) {
                sample.values[i].push_back(measured(quantities_[i], sight, base));
            }
        };
        for (const int bit : bits) {
            compare(seed ^ (std::uint64_t{1} << bit));
        }
        for (int partner = 1; partner <= kPartners; ++partner) {
            compare(seed_of(settings_.base, index, partner));
        }
        const std::lock_guard lock(mutex_);
        if (hooks_.keep) {
            hooks_.keep(sample);
        }
        samples_.emplace(index, std::move(sample));
    }

    Sight look(std::uint64_t seed) {
        Sight sight = subject_.look(seed, options_);
        if (!sight.compares_with(first_)) {
            throw Error(ErrorCode::unsupported,
                        "two seeds show different stages; allowed is a job whose stages and their "
                        "sizes do not depend on the seed");
        }
        const std::lock_guard lock(mutex_);
        ++done_;
        if (hooks_.progress) {
            hooks_.progress(part_, done_, all_);
        }
        return sight;
    }

    // Bits that are not within, once more, with base seeds of their own.
    void repeat(SeedReport &report) {
        std::vector<std::pair<std::size_t, std::size_t>> doubtful; // row, place of the bit
        std::vector<int> bits;
        for (std::size_t place = 0; place < settings_.bits.size(); ++place) {
            bool any = false;
            for (std::size_t row = 0; row < quantities_.size(); ++row) {
                if (quantities_[row].judged &&
                    report.found.rows[row].verdicts[place] != BitVerdict::within) {
                    doubtful.emplace_back(row, bits.size());
                    any = true;
                }
            }
            if (any) {
                bits.push_back(settings_.bits[place]);
            }
        }
        if (bits.empty()) {
            return;
        }
        // A second try that could show less than the first would be none.
        const std::int64_t seeds = settings_.seeds ? settings_.repeat_seeds
                                                   : std::max(settings_.repeat_seeds, report.seeds);
        const std::vector<SeedSample> samples =
            collect(kMostSeeds, seeds, bits, "fresh base seeds for bits that are not within");
        report.runs += seeds * runs_a_seed(bits);
        std::vector<PairedRatio> family;
        for (const auto &[row, place] : doubtful) {
            family.push_back(pairs_of(row, place, samples, bits.size()));
        }
        const std::vector<Verdict> found = verdicts(family, settings_.margin, settings_.level);
        const double confidence = 1 - 2 * settings_.level / static_cast<double>(family.size());
        for (std::size_t i = 0; i < family.size(); ++i) {
            const Interval interval = family[i].interval(confidence);
            report.repeats.push_back({doubtful[i].first, bits[doubtful[i].second], seeds,
                                      family[i].value(), interval.low, interval.high,
                                      bit_verdict(found[i])});
        }
    }

    static BitVerdict last_verdict(const SeedReport &report, std::size_t row, std::size_t place) {
        for (const SeedRepeat &repeat : report.repeats) {
            if (repeat.row == row && repeat.bit == report.settings.bits[place]) {
                return repeat.verdict;
            }
        }
        return report.found.rows[row].verdicts[place];
    }

    void list_unmet(SeedReport &report) const {
        for (std::size_t row = 0; row < quantities_.size(); ++row) {
            const Quantity &quantity = quantities_[row];
            const std::string name =
                "'" + quantity.stage + "'" +
                (quantity.step ? " at step " + std::to_string(*quantity.step) : "") + ", " +
                quantity.distance;
            if (quantity.judged && report.found.rows[row].baseline == 0) {
                report.unmet.push_back(name + ": no seed changes anything");
                continue;
            }
            for (const BitVerdict verdict : {BitVerdict::outside, BitVerdict::undecided}) {
                std::vector<int> bits;
                for (std::size_t place = 0; place < settings_.bits.size(); ++place) {
                    if (last_verdict(report, row, place) == verdict) {
                        bits.push_back(settings_.bits[place]);
                    }
                }
                // Of structures that vary much nothing can be shown; a shift alone is a fault.
                if (!bits.empty() && (quantity.judged || verdict == BitVerdict::outside)) {
                    report.unmet.push_back(name + ": " + verdict_name(verdict) + " for bit " +
                                           list_of(bits));
                }
            }
        }
    }

    const Subject &subject_;
    const SeedSettings &settings_;
    Options options_;
    bool may_leave_device_ = false; // it was chosen by an estimate
    const SeedHooks &hooks_;
    core::ThreadPool pool_;
    Sight first_;
    std::vector<Quantity> quantities_;
    double seconds_a_run_ = 0;
    std::mutex mutex_; // of the next ones and of the hooks, while runs go
    std::map<std::int64_t, SeedSample> samples_;
    const char *part_ = "";
    std::int64_t done_ = 0;
    std::int64_t all_ = 0;
};

} // namespace

SeedReport measure_seeds(const Subject &subject, const SeedSettings &settings,
                         const Options &options, const SeedHooks &hooks) {
    check(settings);
    return Measurement(subject, settings, options, hooks).run();
}

SeedReport measure_seed_sensitivity(const Subject &subject, const SeedSettings &settings,
                                    const Options &options, const SeedHooks &hooks) {
    check(settings);
    const std::vector<ControlResult> controls = run_controls(options);
    for (const ControlResult &control : controls) {
        if (!control.is_as_it_should_be()) {
            throw Error(ErrorCode::requirement_failed,
                        "the instrument is broken: the control '" + control.name +
                            (control.must_fail ? "' passed" : "' failed") + " (" + control.why +
                            ")");
        }
    }
    const RandomNumbers random_numbers = measure_random_numbers(kTrials, options);
    SeedReport report = measure_seeds(subject, settings, options, hooks);
    report.controls = controls;
    report.random_numbers = random_numbers;
    if (!random_numbers.met()) {
        report.unmet.insert(report.unmet.begin(), "the random numbers: a seed bit and an output "
                                                  "depend on each other, or two outputs do");
    }
    return report;
}

void require_met(const SeedReport &report) {
    if (!report.met()) {
        constexpr std::size_t kShown = 3;
        std::string list;
        for (std::size_t i = 0; i < std::min(kShown, report.unmet.size()); ++i) {
            list += (i == 0 ? "" : "; ") + report.unmet[i];
        }
        if (report.unmet.size() > kShown) {
            list += "; and " + std::to_string(report.unmet.size() - kShown) + " more";
        }
        throw Error(ErrorCode::requirement_failed,
                    "not every bit is as good as another seed: " + list);
    }
}

} // namespace karst::lab

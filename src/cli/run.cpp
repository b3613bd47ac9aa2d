// karst run: the assets of a recipe.
#include "cli/commands.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <system_error>
#include <thread>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>

#include "cli/asset_options.hpp"
#include "cli/clock.hpp"
#include "cli/field_cache.hpp"
#include "cli/job.hpp"
#include "cli/preview.hpp"
#include "cli/run_reports.hpp"
#include "cli/signals.hpp"
#include "cli/watch.hpp"
#include "core/run.hpp"
#include "core/thread_pool.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kSharedFields = std::size_t{1} << 30; // bytes kept in memory between assets

struct Arguments {
    std::string recipe;
    RecipeOverrides overrides;
    OptionalText shard, cache, junit, depfile;
    std::string jobs = "1";
    std::string sheet = kPreviewFile;
    bool watch = false;
    bool dry_run = false, list = false, force = false, locked = false, update_lock = false;
    JobArguments job;
};

const ParamInfo &jobs_info() {
    static const ParamInfo info{
        "jobs", "", ParamType::integer, 1,
        1024,   {}, std::int64_t{1},    "Assets that are made at the same time (default 1)."};
    return info;
}

// "3/16": the items whose index is 3 modulo 16.
std::vector<WorkItem> sharded(const Recipe &recipe, const OptionalText &shard) {
    std::size_t part = 0, parts = 1;
    if (shard) {
        int read = 0;
        const int fields = std::sscanf(shard->c_str(), "%zu/%zu%n", &part, &parts, &read);
        if (fields != 2 || static_cast<std::size_t>(read) != shard->size() || part >= parts ||
            shard->find_first_not_of("0123456789/") != std::string::npos) {
            throw Error(ErrorCode::invalid_argument,
                        "shard is '" + *shard +
                            "'; allowed is PART/PARTS with PART from 0 to "
                            "PARTS - 1");
        }
    }
    std::vector<WorkItem> all;
    for (std::size_t i = part; i < recipe.items.size(); i += parts) {
        all.push_back({i, &recipe.items[i]});
    }
    return all;
}

// Everything that can be wrong before work starts: each asset once with its first seed, and the
// files of all.
void check_items(const Recipe &recipe, std::span<const WorkItem> all, Claims &claims,
                 Inputs &inputs, bool make_them) {
    for (const auto &work : all) {
        for (const auto &file : inputs_of(*work.item->generator, work.item->request)) {
            claims.input(file);
        }
    }
    std::set<std::string> seen;
    for (const auto &work : all) {
        if (make_them) {
            make_folders(recipe, *work.item);
        }
        if (seen.insert(work.item->asset).second) {
            asset_of(recipe, *work.item, claims, inputs);
        }
    }
}

// Runs all items, `jobs` at a time, and shows how far they are.
class Batch {
public:
    Batch(const Recipe &recipe, std::vector<WorkItem> &all, const WorkSettings &settings,
          RunningJob &running, RecipeCache &cache, int jobs)
        : recipe_(recipe), all_(all), settings_(settings), running_(running), cache_(cache),
          jobs_(std::clamp<int>(jobs, 1, static_cast<int>(std::max<std::size_t>(1, all.size())))),
          fractions_(static_cast<std::size_t>(jobs_), 0) {}

    // Throws Error(cancelled) when it was interrupted.
    void run() {
        std::vector<std::thread> others;
        try {
            for (int slot = 1; slot < jobs_; ++slot) {
                others.emplace_back([this, slot] { work_on(static_cast<std::size_t>(slot)); });
            }
        } catch (const std::system_error &) { // no more threads: those there are do all
        }
        work_on(0);
        for (auto &thread : others) {
            thread.join();
        }
        if (failure_) {
            std::rethrow_exception(failure_);
        }
    }

private:
    // The item of a thread: no other thread waits for a trail that it did not come to store.
    struct Turn {
        RecipeCache &cache;
        ~Turn() { cache.give_up(); }
    };

    void work_on(std::size_t slot) {
        try {
            for (;;) {
                const std::size_t i = next_.fetch_add(1);
                if (i >= all_.size() || cancel_switch()) {
                    return;
                }
                make(slot, all_[i]);
            }
        } catch (...) {
            const std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
            next_ = all_.size();
        }
    }

    void make(std::size_t slot, WorkItem &its) {
        Options options = running_.options();
        if (options.threads == 0) {
            options.threads = std::max(1, core::usable_threads() / jobs_);
        }
        if (jobs_ > 1) {
            options.memory_limit = core::available_memory() / static_cast<std::uint64_t>(jobs_);
        }
        options.tuning = [this, threads = options.threads](Device device) {
            return running_.tuning_of(device, threads); // an item has a part of the threads
        };
        options.cache = &cache_;
        options.progress = [this, slot, &its](const Progress &progress) {
            show(slot, its, progress.stage, progress.fraction);
        };
        const Turn turn{cache_};
        its.result = work(recipe_, *its.item, settings_, options);
        const std::lock_guard lock(mutex_);
        fractions_[slot] = 0;
        ++done_;
        tell(its);
    }

    void show(std::size_t slot, const WorkItem &its, std::string_view stage, double fraction) {
        const std::lock_guard lock(mutex_);
        fractions_[slot] = fraction;
        double sum = static_cast<double>(done_);
        for (const double part : fractions_) {
            sum += part;
        }
        const double whole = sum / static_cast<double>(all_.size());
        if (whole >= shown_) { // what was made between two calls may not turn it back
            shown_ = whole;
            running_.display().show({its.item->id + ": " + std::string(stage), whole});
        }
    }

    void tell(const WorkItem &its) {
        if (its.result.error) {
            running_.display().problem(its.item->id + ": " + its.result.message);
        } else {
            running_.display().note(its.item->id + ": " + state_name(its.result.state));
        }
        if (its.result.report.contains("device_choice")) {
            const Json &choice = its.result.report["device_choice"];
            running_.detail(its.item->id + ": device: " + choice["device"].get<std::string>() +
                            ", " + choice["reason"].get<std::string>());
        }
        for (const auto &stage : its.result.report["stages"]) {
            running_.detail(its.item->id + ": " + stage["stage"].get<std::string>() + ": " +
                            stage["seconds"].dump() + " s on " +
                            stage["device"].get<std::string>());
        }
        for (const auto &note : its.result.report["notes"]) {
            running_.remark(its.item->id + ": " + note.get<std::string>());
        }
    }

    const Recipe &recipe_;
    std::vector<WorkItem> &all_;
    const WorkSettings &settings_;
    RunningJob &running_;
    RecipeCache &cache_;
    const int jobs_;
    std::mutex mutex_;
    std::vector<double> fractions_; // of the items that run
    std::size_t done_ = 0;
    double shown_ = 0;
    std::atomic<std::size_t> next_{0};
    std::exception_ptr failure_;
};

void print_list(std::span<const WorkItem> all, bool json) {
    Json list = Json::array();
    std::string text;
    for (const auto &work : all) {
        list.push_back(list_json(work));
        text += std::to_string(work.index) + " " + work.item->id + "\n";
    }
    print(json ? list.dump(2) + "\n" : text);
}

// What is wrong names the item.
Estimate estimate_of(const RecipeItem &item, const Asset &asset, const Options &options) {
    try {
        return estimate(asset, options);
    } catch (const Error &error) {
        throw Error(error.code(), item.id + ": " + error.what());
    } catch (const std::bad_alloc &) {
        throw Error(ErrorCode::out_of_memory, item.id + ": out of memory");
    }
}

// What each item would take.
void print_estimates(const Recipe &recipe, std::span<const WorkItem> all, Inputs &inputs,
                     const Options &options, bool json) {
    Json list = Json::array();
    std::string text;
    for (const auto &work : all) {
        Claims claims(Claims::Files::unseen);
        const Asset asset = asset_of(recipe, *work.item, claims, inputs);
        const bool done =
            asset.tiles ? unchanged_tiles(asset) : unchanged_layers(asset).has_value();
        const Estimate its = estimate_of(*work.item, asset, options);
        Json object = list_json(work);
        object["unchanged"] = done;
        object["memory_bytes"] = its.bytes;
        object["seconds"] = its.seconds;
        char line[64];
        std::snprintf(line, sizeof line, ": %.1f s, ", its.seconds);
        text +=
            work.item->id + line + core::gibibytes(its.bytes) + (done ? ", unchanged" : "") + "\n";
        list.push_back(std::move(object));
    }
    print(json ? list.dump(2) + "\n" : text);
}

// The status of the first item that trying again cannot help, else of the first that failed.
void throw_first_failure(std::span<const WorkItem> all) {
    const WorkItem *first = nullptr;
    std::size_t failed = 0;
    for (const auto &work : all) {
        if (!work.result.error) {
            continue;
        }
        ++failed;
        if (first == nullptr || (first->result.worth_retrying() && !work.result.worth_retrying())) {
            first = &work;
        }
    }
    if (first != nullptr) {
        throw Error(*first->result.error, std::to_string(failed) + " of " +
                                              std::to_string(all.size()) + " assets failed; " +
                                              first->item->id + ": " + first->result.message);
    }
}

void check_together(const Arguments &arguments) {
    if (arguments.overrides.seed && arguments.overrides.seeds) {
        throw Error(ErrorCode::invalid_argument, "--seed and --seeds together; allowed is one of "
                                                 "them");
    }
    if (arguments.dry_run && arguments.list) {
        throw Error(ErrorCode::invalid_argument,
                    "--dry-run and --list together; allowed is one of them");
    }
    if (arguments.locked && arguments.update_lock) {
        throw Error(ErrorCode::invalid_argument,
                    "--locked and --update-lock together; allowed is one of them");
    }
}

void watch(const Arguments &arguments) {
    const OptionalText *const others[] = {&arguments.shard, &arguments.cache, &arguments.junit,
                                          &arguments.depfile};
    if (arguments.dry_run || arguments.list || arguments.force || arguments.locked ||
        arguments.update_lock || arguments.job.json || !arguments.job.report.empty() ||
        std::any_of(std::begin(others), std::end(others),
                    [](const OptionalText *other) { return other->has_value(); })) {
        throw Error(ErrorCode::invalid_argument,
                    "--watch with switches of a run that makes files or reports; allowed with it "
                    "are --sheet, --set, --seed, --seeds, --only, --device and --threads");
    }
    require_picture_file(arguments.sheet);
    Claims claims;
    claims.input(arguments.recipe);
    claims.file(arguments.sheet, "--sheet");
    RunningJob running(arguments.job);
    watch_recipe(arguments.recipe, arguments.overrides, arguments.sheet, running);
}

void update_lock(const std::string &path, std::span<const WorkItem> all, RunningJob &running) {
    DigestLock lock;
    if (std::filesystem::exists(path)) {
        lock = DigestLock::read(path);
    }
    for (const auto &work : all) {
        if (!work.result.error && work.result.layers.empty()) {
            running.remark(work.item->id + " is not locked: a lock does not hold tiles");
        } else if (!work.result.error) {
            lock.approve(work.item->id, work.result.layers);
        }
    }
    lock.write(path);
}

void run_recipe(const Arguments &arguments) {
    check_together(arguments);
    const auto jobs = static_cast<int>(parse_integer(jobs_info(), arguments.jobs));
    const Recipe recipe = read_recipe(arguments.recipe, arguments.overrides);
    std::vector<WorkItem> all = sharded(recipe, arguments.shard);
    const bool makes = !arguments.dry_run && !arguments.list;
    Claims claims(makes ? Claims::Files::checked : Claims::Files::unseen);
    for (const auto &file : recipe.files) {
        claims.input(file);
    }
    Inputs inputs;
    check_items(recipe, all, claims, inputs, makes);
    const std::string lock_path = DigestLock::path_of(recipe.path);
    const auto claim = [&claims](const OptionalText &path, const char *what) {
        if (path) {
            claims.file(*path, what + (" " + *path));
        }
    };
    claim(arguments.junit, "--junit");
    claim(arguments.depfile, "--depfile");
    claim_reports(claims, arguments.job);
    if (arguments.list) {
        print_list(all, arguments.job.json);
        return;
    }
    RunningJob running(arguments.job, all.size());
    if (arguments.dry_run) {
        print_estimates(recipe, all, inputs, running.options(), arguments.job.json);
        return;
    }

    const auto start = Clock::now();
    WorkSettings settings{&inputs, arguments.force, nullptr};
    DigestLock lock;
    if (arguments.locked) {
        lock = DigestLock::read(lock_path);
        settings.lock = &lock;
    }
    RecipeCache cache(kSharedFields, arguments.cache.value_or(""), &cancel_switch());
    Batch(recipe, all, settings, running, cache, jobs).run();
    if (cancel_switch()) {
        throw Error(ErrorCode::cancelled, "cancelled; what was made before stays");
    }
    if (arguments.update_lock) {
        update_lock(lock_path, all, running);
    }
    if (arguments.junit) {
        io::write_file(*arguments.junit,
                       junit_text(io::file_name(recipe.path), all, seconds_since(start)));
    }
    if (arguments.depfile) {
        io::write_file(*arguments.depfile, depfile_text(recipe, all));
    }
    Json report{{"recipe", recipe.path}, {"items", Json::array()}};
    for (const auto &work : all) {
        report["items"].push_back(result_json(work));
    }
    running.report(std::move(report), {});
    throw_first_failure(all);
}

} // namespace

void add_run_command(CLI::App &parent) {
    CLI::App &command = *parent.add_subcommand("run", "the assets of a recipe");
    const auto arguments = std::make_shared<Arguments>();
    command.allow_extras();
    command.add_option("recipe", arguments->recipe, "The recipe, JSON with comments")
        ->type_name("RECIPE.json")
        ->required();
    const auto text = [&command](const char *name, auto &value, const char *type,
                                 const char *help) {
        command.add_option(name, value, help)->type_name(type)->allow_extra_args(false);
    };
    text("--set", arguments->overrides.assignments, "NAME=VALUE",
         "A variable of the recipe, or ASSET.PARAMETER=VALUE; repeatable");
    text("--seed", arguments->overrides.seed, "SEED", "One seed for all assets");
    text("--seeds", arguments->overrides.seeds, "SEEDS", "Seeds for all assets: 0..99 or a list");
    text("--folder", arguments->overrides.folder, "FOLDER",
         "Where the outputs lie, instead of the recipe's folder");
    text("--only", arguments->overrides.only, "NAME", "This asset alone; repeatable");
    text("--jobs", arguments->jobs, "N", jobs_info().help.c_str());
    text("--shard", arguments->shard, "PART/PARTS",
         "The items whose index is PART modulo PARTS, for a farm");
    text("--cache", arguments->cache, "FOLDER", "Keep simulated fields there for later runs");
    text("--junit", arguments->junit, "FILE", "Write a report as JUnit's XML");
    text("--depfile", arguments->depfile, "FILE", "Write what the outputs depend on, for make");
    command.add_flag("--dry-run", arguments->dry_run,
                     "Print what each asset would take and make nothing");
    command.add_flag("--list", arguments->list, "Print the items of work and make nothing");
    command.add_flag("--watch", arguments->watch,
                     "Write no files but a contact sheet of small pictures, and again whenever the "
                     "recipe is saved, until interrupted");
    text("--sheet", arguments->sheet, "FILE.png",
         "Where --watch writes its pictures (default preview.png)");
    command.add_flag("--force", arguments->force, "Make unchanged assets again");
    command.add_flag("--locked", arguments->locked,
                     "Write nothing whose digest RECIPE.json.lock does not approve");
    command.add_flag("--update-lock", arguments->update_lock,
                     "Write the digests of what was made to RECIPE.json.lock");
    add_job_options(command, arguments->job);
    command.callback([&command, arguments] {
        refuse_unknown(command, {});
        if (arguments->watch) {
            watch(*arguments);
        } else {
            run_recipe(*arguments);
        }
    });
}

} // namespace karst::cli

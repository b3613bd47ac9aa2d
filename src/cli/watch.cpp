#include "cli/watch.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include <karst/error.hpp>

#include "cli/asset_options.hpp"
#include "cli/clock.hpp"
#include "cli/contact_sheet.hpp"
#include "cli/control_files.hpp"
#include "cli/preview.hpp"
#include "cli/run_reports.hpp"
#include "cli/signals.hpp"
#include "cli/system.hpp"
#include "cli/work.hpp"

namespace karst::cli {

namespace {

constexpr std::size_t kMostItems = 16;
constexpr std::int64_t kLargestSide = 256; // cells of a preview
constexpr std::int64_t kLeastSide = 64;
constexpr auto kPoll = std::chrono::milliseconds(100);
constexpr double kWishedSeconds = 1.2; // for a sheet; the promise is 2 s

// The same ground in cells 2, 4, 8, ... times as large, until no side is longer than `side`: then
// the layout stays.
Job shrunk(const GeneratorInfo &row, Job job, std::int64_t side) {
    const auto half = [&row](std::int64_t cells) {
        return row.corner_samples ? (cells - 1) / 2 + 1 : (cells + 1) / 2;
    };
    while (std::max({job.extent.width, job.extent.height, job.depth}) > side) {
        job.extent = {half(job.extent.width), half(job.extent.height)};
        job.depth = (job.depth + 1) / 2;
        job.cell *= 2;
    }
    return job;
}

// The layer that shows most; null: the row makes no map.
const LayerInfo *layer_to_show(const GeneratorInfo &row) {
    const LayerInfo *found = nullptr;
    for (const auto &layer : row.layers) {
        if (layer.kind == LayerKind::map && (found == nullptr || layer.name == "preview")) {
            found = &layer;
        }
    }
    return found;
}

// All that decides how a job's picture looks.
std::string key_of(const Asset &asset, const Job &job) {
    std::string key = asset.row->name + " " + std::to_string(job.seed) + " " +
                      std::to_string(job.extent.width) + " " + std::to_string(job.extent.height) +
                      " " + std::to_string(job.depth) + " " + to_string(ParamValue(job.cell));
    for (const auto &[name, value] : io::parameters(job.params)) {
        key += " " + name + "=" + to_string(value);
    }
    for (const auto &input : asset.inputs) {
        key += " " + input.name + "=" + std::to_string(input.digest);
        if (input.map) {
            key += " " + control_text(*input.map, "");
        }
    }
    return key;
}

class Watch {
public:
    Watch(const std::string &path, const RecipeOverrides &overrides, const std::string &sheet,
          RunningJob &running)
        : path_(path), overrides_(overrides), sheet_(sheet), running_(running), files_{path} {}

    [[noreturn]] void run() {
        for (;;) {
            const auto stamps = all_stamps();
            remake();
            // Files that remake() found to be read are as old as it, others may be younger.
            for (const auto &file : files_) {
                const auto known = stamps.find(file);
                seen_[file] = known != stamps.end() ? known->second : system::stamp_of(file);
            }
            wait();
        }
    }

private:
    std::map<std::string, system::FileStamp> all_stamps() const {
        std::map<std::string, system::FileStamp> stamps;
        for (const auto &file : files_) {
            stamps[file] = system::stamp_of(file);
        }
        return stamps;
    }

    // Until a file is not what it was, and has come to rest.
    void wait() {
        std::optional<std::map<std::string, system::FileStamp>> changed;
        for (;;) {
            require_no_cancel();
            const auto now = all_stamps();
            if (changed && now == *changed) {
                return;
            }
            if (std::any_of(now.begin(), now.end(), [this](const auto &file) {
                    return file.second != seen_[file.first];
                })) {
                changed = now;
            }
            std::this_thread::sleep_for(kPoll);
        }
    }

    static void require_no_cancel() {
        if (cancel_switch()) {
            throw Error(ErrorCode::cancelled, "stopped watching");
        }
    }

    void remake() {
        const auto start = Clock::now();
        Recipe recipe;
        std::vector<std::string> opened;
        try {
            recipe = read_recipe(path_, overrides_, &opened);
        } catch (const Error &error) { // half of it, perhaps: the next save tells
            files_.insert(opened.begin(), opened.end());
            running_.display().problem(error.what());
            return;
        }
        recipe.items.resize(std::min(recipe.items.size(), kMostItems));
        files_ = {path_};
        files_.insert(recipe.files.begin(), recipe.files.end());
        const std::int64_t side = std::min(side_, recipe.items.size() <= 2   ? kLargestSide
                                                  : recipe.items.size() <= 6 ? kLargestSide / 4 * 3
                                                                             : kLargestSide / 2);
        // What is not made yet looks as it did.
        std::vector<Tile> tiles = shown_;
        const Tile pending{Field2D<std::uint32_t>({1, 1}), "", "not made yet"};
        tiles.resize(recipe.items.size(), pending);
        std::map<std::string, Tile> made;
        auto written = start;
        Inputs inputs; // they may have been saved again
        for (std::size_t i = 0; i < tiles.size(); ++i) {
            require_no_cancel();
            if (seconds_since(written) > kWishedSeconds) {
                write_sheet(tiles);
                written = Clock::now();
            }
            for (const auto &file :
                 inputs_of(*recipe.items[i].generator, recipe.items[i].request)) {
                files_.insert(file);
            }
            tiles[i] = tile_of(recipe, recipe.items[i], side, inputs, made);
        }
        made_ = std::move(made);
        if (tiles.empty()) {
            running_.display().problem(path_ + ": there is no asset to show");
            return;
        }
        write_sheet(tiles);
        shown_ = std::move(tiles);
        const double seconds = seconds_since(start);
        if (seconds > kWishedSeconds && side_ > kLeastSide) {
            side_ = std::max(kLeastSide, std::min(side, side_) / 4 * 3);
        }
        char time[32];
        std::snprintf(time, sizeof time, "%.2f s", seconds);
        running_.remark(sheet_ + " made in " + time);
    }

    void write_sheet(const std::vector<Tile> &tiles) {
        SheetLayout layout(tiles.size());
        layout.tile = 96; // room for a caption
        for (const auto &tile : tiles) {
            layout.tile = std::max(layout.tile, tile.picture.width());
        }
        write_picture(sheet_, contact_sheet(tiles, layout), "preview");
    }

    // What cannot be made is told, and its tile says so.
    Tile tile_of(const Recipe &recipe, const RecipeItem &item, std::int64_t side, Inputs &inputs,
                 std::map<std::string, Tile> &made) {
        try {
            Claims claims(Claims::Files::unseen);
            const Asset asset = asset_of(recipe, item, claims, inputs);
            const std::string key = key_of(asset, shrunk(*asset.row, asset.job, side));
            const auto known = made_.find(key);
            Tile tile = known != made_.end() ? known->second : picture(asset, side);
            made.emplace(key, tile);
            tile.title = item.asset;
            tile.subtitle = seed_caption(asset.job.seed);
            return tile;
        } catch (const Error &error) {
            if (error.code() == ErrorCode::cancelled) {
                require_no_cancel();
            }
            running_.display().problem(item.id + ": " + error.what());
            return {Field2D<std::uint32_t>({1, 1}), item.asset, "failed"};
        }
    }

    // Cells that are too large for the parameters are made smaller.
    Tile picture(const Asset &asset, std::int64_t side) {
        const LayerInfo *const layer = layer_to_show(*asset.row);
        if (layer == nullptr) {
            throw Error(ErrorCode::unsupported,
                        asset.row->name + " makes no map, which alone has a picture");
        }
        for (;; side *= 2) {
            Job job = shrunk(*asset.row, asset.job, side);
            job.layers = {layer->name};
            for (const auto &other : asset.row->layers) {
                if (!other.parameter.empty()) { // meshes and the like take their time
                    job.params.set(other.parameter, other.name == layer->name);
                }
            }
            try {
                const Artifact artifact = asset.row->generate(job, options());
                const Layer &shown = artifact.layer(layer->name);
                const Extent2 size{job.extent.width, job.extent.height};
                return {picture_of(shown, asset.row->name, job.cell,
                                   fitted(size,
                                          std::min(kLargestSide, std::max(size.width, size.height)),
                                          true),
                                   options()),
                        {},
                        {}};
            } catch (const Error &error) {
                if (error.code() != ErrorCode::invalid_argument || job.cell == asset.job.cell) {
                    throw;
                }
            }
        }
    }

    Options options() const {
        Options quiet = running_.options();
        quiet.progress = {};
        quiet.stages = nullptr;
        quiet.digests = nullptr;
        quiet.notes = nullptr;
        return quiet;
    }

    const std::string path_;
    const RecipeOverrides overrides_;
    const std::string sheet_;
    RunningJob &running_;
    std::set<std::string> files_;                   // that decide what is shown
    std::map<std::string, system::FileStamp> seen_; // as they were when the sheet was made
    std::map<std::string, Tile> made_;              // by key_of
    std::vector<Tile> shown_;                       // of the last whole sheet
    std::int64_t side_ = kLargestSide;
};

} // namespace

void watch_recipe(const std::string &path, const RecipeOverrides &overrides,
                  const std::string &sheet, RunningJob &running) {
    Watch(path, overrides, sheet, running).run();
}

} // namespace karst::cli

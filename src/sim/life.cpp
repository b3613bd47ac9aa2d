#include "sim/life.hpp"

#include <algorithm>
#include <charconv>

#include <karst/params.hpp>

#include "core/digest.hpp"
#include "core/extent.hpp"
#include "core/fixed.hpp"
#include "core/resample.hpp"
#include "core/rng.hpp"
#include "sim/device_choice.hpp"
#include "sim/tuning.hpp"

namespace karst {

namespace {

// Reads digits 0 to 8 from `text` into a mask.
std::uint16_t read_counts(std::string_view &text) {
    std::uint16_t mask = 0;
    while (!text.empty() && text.front() >= '0' && text.front() <= '8') {
        mask = static_cast<std::uint16_t>(mask | (1 << (text.front() - '0')));
        text.remove_prefix(1);
    }
    return mask;
}

bool skip(std::string_view &text, std::string_view letters) {
    if (text.empty() || letters.find(text.front()) == std::string_view::npos) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

// Reads "5", "4,5" or "13,14,17-19" with counts 0 to 26, or nothing, from `text` into a mask; false
// for a list that is none.
bool read_count_list(std::string_view &text, std::uint32_t &mask) {
    const auto read_count = [&](std::uint32_t &count) {
        const char *const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, count);
        text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
        return error == std::errc() && count <= 26;
    };
    mask = 0;
    if (text.empty() || text.front() < '0' || text.front() > '9') {
        return true;
    }
    do {
        std::uint32_t first = 0;
        if (!read_count(first)) {
            return false;
        }
        std::uint32_t last = first;
        if (skip(text, "-") && (!read_count(last) || last < first)) {
            return false;
        }
        for (std::uint32_t n = first; n <= last; ++n) {
            mask |= 1u << n;
        }
    } while (skip(text, ","));
    return true;
}

// "13,14,17-19": three counts or more in a row are a range.
std::string count_list(std::uint32_t mask) {
    std::string text;
    for (int n = 0; n <= 26; ++n) {
        if (((mask >> n) & 1) == 0) {
            continue;
        }
        int last = n;
        while (last < 26 && ((mask >> (last + 1)) & 1) != 0) {
            ++last;
        }
        text += (text.empty() ? "" : ",") + std::to_string(n);
        if (last - n >= 2) {
            text += "-" + std::to_string(last);
            n = last;
        }
    }
    return text;
}

template <class Extent>
std::uint64_t board_bytes(Extent extent) {
    extent.width = (extent.width + 63) / 64;
    return 8 * static_cast<std::uint64_t>(extent.cells());
}

// The row of words in a volume, (y, z); z is 0 on a board.
struct Row {
    std::int64_t y, z;
};
Row row_of(Extent2, std::int64_t row) {
    return {row, 0};
}
Row row_of(Extent3 extent, std::int64_t row) {
    return {row % extent.height, row / extent.height};
}

// `map` of densities, or null; of a volume the same at every height.
template <class Extent>
LifeCells<Extent> draw_soup(Extent extent, double density, const Field2D<std::uint16_t> *map,
                            std::uint64_t seed, Cell3 origin, const Options &options) try {
    if (!(density >= 0 && density <= 1)) {
        throw Error(ErrorCode::invalid_argument,
                    "density is " + to_string(ParamValue(density)) + "; allowed is 0 to 1");
    }
    core::require_sides(extent);
    const std::uint64_t map_bytes =
        map == nullptr ? 0 : static_cast<std::uint64_t>(extent.width * extent.height) * 2;
    core::require_memory(board_bytes(extent) + map_bytes, "a board of this size", options);
    core::Run run(options);
    run.stage("soup", 1);
    Field2D<std::uint16_t> share; // of the density, 65535 is all of it
    if (map != nullptr) {
        share = core::resample(run, *map,
                               {core::over_all(extent.width), core::over_all(extent.height)});
    }
    const std::uint64_t whole = core::to_threshold(density);
    const auto threshold = [&](std::int64_t x, std::int64_t y) {
        return share.empty() ? whole : whole * share.at(x, y) / 65535;
    };
    LifeCells<Extent> board(extent, options.memory);
    // Absolute coordinates modulo 2^32, as the counter has them.
    const auto absolute = [](std::int32_t from, std::int64_t i) {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(from) +
                                         static_cast<std::uint32_t>(i));
    };
    const std::int64_t words = board.words().width();
    run.for_rows(extent.cells() / extent.width, [&](std::int64_t i) {
        const Row row = row_of(extent, i);
        std::uint64_t *const cells = board.words().data() + i * words;
        for (std::int64_t x = 0; x < extent.width; ++x) {
            const core::Draw4 draw =
                core::draw_at(seed, absolute(origin.x, x), absolute(origin.y, row.y),
                              absolute(origin.z, row.z), core::use(core::stage_life_soup));
            const std::uint64_t alive = draw.word[0] < threshold(x, row.y) ? 1 : 0;
            cells[x >> 6] |= alive << (x & 63);
        }
    });
    run.finish();
    return board;
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

template <class Board, class Rule>
Board simulate(const Board &board, Rule rule, LifeBoundary boundary, std::int64_t generations,
               const Options &options) try {
    if (generations < 0) {
        throw Error(ErrorCode::invalid_argument,
                    "generations is " + std::to_string(generations) + "; allowed is 0 or more");
    }
    core::require_memory(2 * board_bytes(board.extent()), "a board of this size", options);
    const sim::Work work = sim::work_of_life(board.extent(), generations);
    return sim::on_device(options, work, [&](const Options &chosen) {
        core::Run run(chosen);
        run.stage("life", 1, chosen.device);
        Board start(board.extent(), chosen.memory);
        start.words() = board.words();
        Board result = sim::advance(run, std::move(start), rule, boundary, generations);
        run.finish();
        return result;
    });
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

} // namespace

LifeRule parse_life_rule(std::string_view text) {
    std::string_view rest = text;
    LifeRule rule;
    bool good = true;
    if (skip(rest, "Bb")) {
        rule.birth = read_counts(rest);
        skip(rest, "/_");
        good = skip(rest, "Ss");
        rule.survive = read_counts(rest);
    } else {
        rule.survive = read_counts(rest);
        good = skip(rest, "/");
        rule.birth = read_counts(rest);
    }
    if (!good || !rest.empty()) {
        throw Error(ErrorCode::invalid_argument,
                    "rule is '" + std::string(text) +
                        "'; allowed is an outer-totalistic rule such as B3/S23, or 23/3 "
                        "(survival/birth), with counts 0 to 8");
    }
    return rule;
}

std::string to_string(LifeRule rule) {
    std::string text = "B";
    for (const auto &[mask, tail] : {std::pair{rule.birth, "/S"}, {rule.survive, ""}}) {
        for (int n = 0; n <= 8; ++n) {
            if ((mask >> n) & 1) {
                text += static_cast<char>('0' + n);
            }
        }
        text += tail;
    }
    return text;
}

LifeRule3 parse_life_rule_3d(std::string_view text) {
    std::string_view rest = text;
    LifeRule3 rule;
    bool good = true;
    if (skip(rest, "Bb")) {
        good = read_count_list(rest, rule.birth);
        skip(rest, "/_");
        good = good && skip(rest, "Ss") && read_count_list(rest, rule.survive);
    } else {
        good = read_count_list(rest, rule.survive) && skip(rest, "/") &&
               read_count_list(rest, rule.birth);
        if (rest == "/2" || rest == "/2/M") {
            rest = {};
        }
    }
    if (!good || !rest.empty()) {
        throw Error(ErrorCode::invalid_argument,
                    "rule is '" + std::string(text) +
                        "'; allowed is an outer-totalistic rule such as B14-26/S13-26, or "
                        "13-26/14-26 (survival/birth), with counts 0 to 26");
    }
    return rule;
}

std::string to_string(LifeRule3 rule) {
    return "B" + count_list(rule.birth) + "/S" + count_list(rule.survive);
}

LifeBoard make_soup(Extent2 extent, double density, std::uint64_t seed, Cell2 origin,
                    const Options &options) {
    return draw_soup(extent, density, nullptr, seed, {origin.x, origin.y, 0}, options);
}

LifeBoard make_soup(Extent2 extent, double density, const Field2D<std::uint16_t> &map,
                    std::uint64_t seed, Cell2 origin, const Options &options) {
    return draw_soup(extent, density, &map, seed, {origin.x, origin.y, 0}, options);
}

LifeVolume make_soup_3d(Extent3 extent, double density, std::uint64_t seed, Cell3 origin,
                        const Options &options) {
    return draw_soup(extent, density, nullptr, seed, origin, options);
}

LifeBoard simulate_life(const LifeBoard &board, LifeRule rule, LifeBoundary boundary,
                        std::int64_t generations, const Options &options) {
    return simulate(board, rule, boundary, generations, options);
}

LifeVolume simulate_life(const LifeVolume &volume, LifeRule3 rule, LifeBoundary boundary,
                         std::int64_t generations, const Options &options) {
    return simulate(volume, rule, boundary, generations, options);
}

std::uint64_t digest(const LifeBoard &board) {
    return core::digest(board.words());
}

std::uint64_t digest(const LifeVolume &volume) {
    return core::digest(volume.words());
}

} // namespace karst

namespace karst::sim {

namespace {

// A byte a cell.
template <class Extent>
void show_cells(core::Run &run, const LifeCells<Extent> &board, std::int64_t generation) {
    Field<std::uint8_t, Extent> cells(board.extent());
    const std::int64_t words = board.words().width();
    for (std::int64_t i = 0; i < cells.size(); ++i) {
        const std::int64_t row = i / cells.width();
        const std::int64_t x = i - row * cells.width();
        cells[i] = (board.words()[row * words + x / 64] >> (x % 64)) & 1;
    }
    run.show(cells, StageCells::mask, "cells", generation);
}

// With stops where the run's observer wants to see the cells, at the end too if it lists that.
template <class Board, class Rule>
Board run_watched(core::Run &run, Board board, Rule rule, LifeBoundary boundary,
                  std::int64_t generations, EngineKind kind) {
    if (board.extent().cells() == 0) {
        return board;
    }
    std::unique_ptr<BasicLifeEngine<Board>> engine;
    {
        const core::Range range("upload");
        engine = kind == EngineKind::plain ? make_plain_life(board, rule, boundary)
                                           : make_engine(run, std::move(board), rule, boundary);
    }
    std::int64_t done = 0;
    if (run.options().observer != nullptr) {
        for (const std::int64_t step : run.options().observer->steps()) {
            if (step >= done && step <= generations) {
                run_steps(run, *engine, step - done, done, generations);
                done = step;
                show_cells(run, engine->look(), step);
            }
        }
    }
    run_steps(run, *engine, generations - done, done, generations);
    const core::Range range("download");
    return engine->take();
}

template <class CpuTuning, class CudaTuning, class Board, class Rule>
std::unique_ptr<BasicLifeEngine<Board>> make(core::Run &run, Board board, Rule rule,
                                             LifeBoundary boundary) {
    const Options &options = run.options();
    const SizeClass size = size_class(board.extent().cells());
    const Tuning *const tuning = tuning_of(options);
    if (options.device.kind == DeviceKind::cuda) {
        return cuda::make_life(options.device, std::move(board), rule, boundary,
                               chosen_tuning<CudaTuning>(tuning, size));
    }
    return cpu::make_life(run, std::move(board), rule, boundary,
                          chosen_tuning<CpuTuning>(tuning, size));
}

} // namespace

std::unique_ptr<LifeEngine> make_engine(core::Run &run, LifeBoard board, LifeRule rule,
                                        LifeBoundary boundary) {
    return make<cpu::LifeTuning, cuda::LifeTuning>(run, std::move(board), rule, boundary);
}

std::unique_ptr<LifeVolumeEngine> make_engine(core::Run &run, LifeVolume volume, LifeRule3 rule,
                                              LifeBoundary boundary) {
    return make<cpu::LifeVolumeTuning, cuda::LifeVolumeTuning>(run, std::move(volume), rule,
                                                               boundary);
}

LifeBoard advance(core::Run &run, LifeBoard board, LifeRule rule, LifeBoundary boundary,
                  std::int64_t generations, EngineKind kind) {
    return run_watched(run, std::move(board), rule, boundary, generations, kind);
}

LifeVolume advance(core::Run &run, LifeVolume volume, LifeRule3 rule, LifeBoundary boundary,
                   std::int64_t generations, EngineKind kind) {
    return run_watched(run, std::move(volume), rule, boundary, generations, kind);
}

} // namespace karst::sim

#include "sim/life.hpp"

#include <bit>

#include <karst/params.hpp>

#include "core/digest.hpp"
#include "core/extent.hpp"
#include "core/fixed.hpp"
#include "core/rng.hpp"

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

std::uint64_t board_bytes(Extent2 extent) {
    return static_cast<std::uint64_t>((extent.width + 63) / 64 * 8) *
           static_cast<std::uint64_t>(extent.height);
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

LifeBoard::LifeBoard(Extent2 extent, std::pmr::memory_resource *memory)
    : extent_(extent), words_({(extent.width + 63) / 64, extent.height}, memory) {}

std::int64_t LifeBoard::population() const noexcept {
    std::int64_t count = 0;
    for (const std::uint64_t word : words_.cells()) {
        count += std::popcount(word);
    }
    return count;
}

LifeBoard make_soup(Extent2 extent, double density, std::uint64_t seed, Cell2 origin,
                    const Options &options) try {
    if (!(density >= 0 && density <= 1)) {
        throw Error(ErrorCode::invalid_argument,
                    "density is " + to_string(ParamValue(density)) + "; allowed is 0 to 1");
    }
    core::require_sides(extent);
    core::require_memory(board_bytes(extent), "a board of this size", options);
    core::Run run(options);
    run.stage("soup", 1);
    const std::uint64_t threshold = core::to_threshold(density);
    LifeBoard board(extent, options.memory);
    // Absolute coordinates modulo 2^32, as the counter has them.
    const auto absolute = [](std::int32_t from, std::int64_t i) {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(from) +
                                         static_cast<std::uint32_t>(i));
    };
    run.for_rows(extent.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            const core::Draw4 draw =
                core::draw_at(seed, absolute(origin.x, x), absolute(origin.y, y), 0,
                              core::use(core::stage_life_soup));
            board.set(x, y, draw.word[0] < threshold);
        }
    });
    run.finish();
    return board;
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

LifeBoard simulate_life(const LifeBoard &board, LifeRule rule, LifeBoundary boundary,
                        std::int64_t generations, const Options &options) try {
    if (generations < 0) {
        throw Error(ErrorCode::invalid_argument,
                    "generations is " + std::to_string(generations) + "; allowed is 0 or more");
    }
    core::require_memory(2 * board_bytes(board.extent()), "a board of this size", options);
    core::Run run(options);
    run.stage("life", 1, options.device);
    LifeBoard start(board.extent(), options.memory);
    start.words() = board.words();
    LifeBoard result = sim::advance(run, std::move(start), rule, boundary, generations);
    run.finish();
    return result;
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

std::uint64_t digest(const LifeBoard &board) {
    return core::digest(board.words());
}

} // namespace karst

namespace karst::sim {

LifeBoard advance(core::Run &run, LifeBoard board, LifeRule rule, LifeBoundary boundary,
                  std::int64_t generations, EngineKind kind) {
    if (board.extent().cells() == 0) {
        return board;
    }
    const Device device = run.options().device;
    std::unique_ptr<LifeEngine> engine;
    if (kind == EngineKind::plain) {
        engine = make_plain_life(board, rule, boundary);
    } else if (device.kind == DeviceKind::cuda) {
        engine = cuda::make_life(device, std::move(board), rule, boundary);
    } else {
        engine = cpu::make_life(run, std::move(board), rule, boundary);
    }
    for (std::int64_t done = 0; done < generations;) {
        const auto now = std::min<std::int64_t>(kStepsAtOnce, generations - done);
        engine->advance(static_cast<std::uint32_t>(now));
        done += now;
        run.advance(static_cast<double>(done) / static_cast<double>(generations));
    }
    return engine->take();
}

} // namespace karst::sim

// The crack generator as a whole.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/digest.hpp"
#include "generators/crack.hpp"
#include "generators/registry.hpp"

using namespace karst;

namespace {

CrackParams preset(const std::string &name) {
    ParamSet set(crack_table().infos());
    for (const Preset &p : crack_presets()) {
        if (p.name == name) {
            set.apply(p);
        }
    }
    return crack_table().from(set);
}

std::vector<std::uint64_t> digests(const CrackResult &r) {
    return {core::digest(r.mask), core::digest(r.depth), core::digest(r.plates)};
}

std::int64_t wrapped(std::int64_t i, std::int64_t size) {
    return ((i % size) + size) % size;
}

// The square of the distance to the nearest crack on the torus, cell by cell.
std::int64_t to_crack(const CrackResult &r, std::int64_t x, std::int64_t y) {
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    const std::int64_t width = r.mask.width();
    const std::int64_t height = r.mask.height();
    for (std::int64_t v = 0; v < height; ++v) {
        for (std::int64_t u = 0; u < width; ++u) {
            if (r.mask.at(u, v) != 0) {
                const std::int64_t dx = std::min(wrapped(u - x, width), wrapped(x - u, width));
                const std::int64_t dy = std::min(wrapped(v - y, height), wrapped(y - v, height));
                best = std::min(best, dx * dx + dy * dy);
            }
        }
    }
    return best;
}

// The plates by a flood fill of their own; the number of plates.
std::int64_t check_plates(const CrackResult &r) {
    const std::int64_t width = r.mask.width();
    const std::int64_t height = r.mask.height();
    std::vector<bool> seen(static_cast<std::size_t>(r.mask.size()));
    std::set<std::uint32_t> ids;
    bool consistent = true;
    for (std::int64_t start = 0; start < r.mask.size(); ++start) {
        const std::uint32_t id = r.plates[start];
        consistent = consistent && (r.mask[start] == 255 || r.mask[start] == 0) &&
                     (r.mask[start] == 255) == (id == kNoPlate);
        if (id == kNoPlate || seen[static_cast<std::size_t>(start)]) {
            continue;
        }
        consistent = consistent && ids.insert(id).second && r.plates[id] == id;
        std::deque<std::int64_t> open{start};
        seen[static_cast<std::size_t>(start)] = true;
        while (!open.empty()) {
            const std::int64_t x = open.front() % width;
            const std::int64_t y = open.front() / width;
            open.pop_front();
            const std::int64_t sides[4][2] = {{x + 1, y}, {x - 1, y}, {x, y + 1}, {x, y - 1}};
            for (const auto &side : sides) {
                const std::int64_t next =
                    wrapped(side[1], height) * width + wrapped(side[0], width);
                if (r.mask[next] == 0) {
                    consistent = consistent && r.plates[next] == id;
                    if (!seen[static_cast<std::size_t>(next)]) {
                        seen[static_cast<std::size_t>(next)] = true;
                        open.push_back(next);
                    }
                }
            }
        }
    }
    CHECK(consistent);
    return static_cast<std::int64_t>(ids.size());
}

template <class F>
ErrorCode code_of(F &&f) {
    try {
        f();
    } catch (const Error &error) {
        return error.code();
    }
    FAIL("no error");
    return ErrorCode::invalid_argument;
}

} // namespace

TEST_CASE("cracks: the same for every number of threads, plates are the pieces between cracks") {
    struct Case {
        const char *preset;
        Extent2 extent;
    };
    for (const Case &c :
         {Case{"dry_mud", {1, 1}}, Case{"dry_mud", {1, 65}}, Case{"rock_joints", {64, 1}},
          Case{"craquelure", {3, 2}}, Case{"dry_mud", {63, 65}}, Case{"rock_joints", {200, 37}},
          Case{"craquelure", {130, 129}}, Case{"dry_mud", {160, 120}}}) {
        CAPTURE(c.preset);
        CAPTURE(c.extent.width);
        const CrackParams params = preset(c.preset);
        const Extent2 extent = c.extent;
        const auto r = generate_crack(params, extent, 0.01, 11, {.threads = 1});
        CHECK(r.mask.extent() == extent);
        CHECK(r.plate_count == check_plates(r));
        CHECK(digests(generate_crack(params, extent, 0.01, 11, {.threads = 2})) == digests(r));
        CHECK(digests(generate_crack(params, extent, 0.01, 11, {.threads = 7})) == digests(r));
    }
}

TEST_CASE("cracks: a plate's id is its cell farthest from the cracks") {
    const auto r = generate_crack(preset("dry_mud"), {70, 50}, 0.02, 5, {});
    REQUIRE(r.plate_count > 3);
    bool farthest = true;
    for (std::int64_t i = 0; i < r.mask.size(); ++i) {
        const std::int64_t id = r.plates[i];
        if (r.mask[i] == 0) {
            farthest = farthest && to_crack(r, i % 70, i / 70) <= to_crack(r, id % 70, id / 70);
        }
    }
    CHECK(farthest);
}

TEST_CASE("cracks: no seam where the tile wraps") {
    for (const Extent2 extent : {Extent2{256, 256}, Extent2{211, 173}}) {
        for (const Preset &p : crack_presets()) {
            CAPTURE(p.name);
            const auto r = generate_crack(preset(p.name), extent, 0.01, 3, {});
            // Mean step of the depth across each pair of columns and of rows.
            const auto step = [&](std::int64_t i, bool columns) {
                const std::int64_t count = columns ? extent.height : extent.width;
                double sum = 0;
                for (std::int64_t k = 0; k < count; ++k) {
                    const auto a = columns ? r.depth.at(i, k) : r.depth.at(k, i);
                    const auto b = columns ? r.depth.at((i + 1) % extent.width, k)
                                           : r.depth.at(k, (i + 1) % extent.height);
                    sum += std::abs(static_cast<double>(a) - b);
                }
                return sum / static_cast<double>(count);
            };
            for (const bool columns : {true, false}) {
                const std::int64_t side = columns ? extent.width : extent.height;
                double most = 0;
                for (std::int64_t i = 0; i + 1 < side; ++i) {
                    most = std::max(most, step(i, columns));
                }
                CHECK(step(side - 1, columns) <= most);
            }
        }
    }
}

TEST_CASE("cracks: resolution changes detail, not layout") {
    for (const Preset &p : crack_presets()) {
        CAPTURE(p.name);
        CrackParams params = preset(p.name);
        params.ragged = 0;
        const auto coarse = generate_crack(params, {200, 160}, 0.01, 9, {});
        const auto fine = generate_crack(params, {400, 320}, 0.005, 9, {});
        std::int64_t found = 0;
        std::int64_t cracked = 0;
        for (std::int64_t y = 0; y < 160; ++y) {
            for (std::int64_t x = 0; x < 200; ++x) {
                if (coarse.mask.at(x, y) == 0) {
                    continue;
                }
                ++cracked;
                bool near = false;
                for (std::int64_t v = 2 * y - 2; v <= 2 * y + 3; ++v) {
                    for (std::int64_t u = 2 * x - 2; u <= 2 * x + 3; ++u) {
                        near = near || fine.mask.at(wrapped(u, 400), wrapped(v, 320)) != 0;
                    }
                }
                found += near ? 1 : 0;
            }
        }
        CHECK(cracked > 500);
        CHECK(static_cast<double>(found) > 0.99 * static_cast<double>(cracked));
        CHECK(std::abs(static_cast<double>(coarse.plate_count - fine.plate_count)) <=
              0.05 * static_cast<double>(fine.plate_count));
    }
}

TEST_CASE("cracks: depth belongs to the cracks, sizes come in metres") {
    CrackParams params = preset("dry_mud");
    params.curl = 0;
    params.relief = 0;
    params.ragged = 0;
    const auto r = generate_crack(params, {400, 400}, 0.005, 2, {});
    CHECK(r.depth_scale * 65535 == doctest::Approx(params.depth));
    std::int64_t shallow = 0;
    std::int64_t cracked = 0;
    std::int64_t far_from_any = 0;
    for (std::int64_t y = 0; y < 400; ++y) {
        for (std::int64_t x = 0; x < 400; ++x) {
            if (r.mask.at(x, y) != 0) {
                ++cracked;
                shallow += r.depth.at(x, y) == 0 ? 1 : 0;
                continue;
            }
            bool beside = false;
            for (std::int64_t v = y - 2; v <= y + 2; ++v) {
                for (std::int64_t u = x - 2; u <= x + 2; ++u) {
                    beside = beside || r.mask.at(wrapped(u, 400), wrapped(v, 400)) != 0;
                }
            }
            far_from_any += !beside && r.depth.at(x, y) != 0 ? 1 : 0;
        }
    }
    CHECK(shallow < cracked / 100);
    CHECK(far_from_any == 0);
    CHECK(r.crack_share == doctest::Approx(static_cast<double>(cracked) / 160000));
    CHECK(r.mean_plate_area * static_cast<double>(r.plate_count) ==
          doctest::Approx((160000 - static_cast<double>(cracked)) * 25e-6));
    CHECK(r.mean_crack_width > 0.2 * params.crack_width);
    CHECK(r.mean_crack_width < params.crack_width);
    // Pieces of about the wanted size.
    CHECK(r.mean_plate_area > 0.5 * params.piece_size * params.piece_size);
    CHECK(r.mean_plate_area < 1.5 * params.piece_size * params.piece_size);
}

TEST_CASE("cracks: a seed is a layout, a piece_size of plate_size leaves the primary cracks") {
    const CrackParams params = preset("dry_mud");
    const auto one = generate_crack(params, {200, 200}, 0.01, 1, {});
    CHECK(digests(generate_crack(params, {200, 200}, 0.01, 2, {})) != digests(one));
    CrackParams whole = params;
    whole.piece_size = whole.plate_size;
    whole.dead_ends = 0;
    const auto primary = generate_crack(whole, {200, 200}, 0.01, 1, {});
    CHECK(primary.plate_count > 5);
    CHECK(primary.plate_count * 2 < one.plate_count);
}

TEST_CASE("cracks: what is not possible says so") {
    const CrackParams params;
    const auto run = [](const CrackParams &p, Extent2 extent, double cell, const Options &options) {
        return code_of([&] { generate_crack(p, extent, cell, 1, options); });
    };
    CHECK(run(params, {0, 5}, 0.01, {}) == ErrorCode::invalid_argument);
    CHECK(run(params, {5, -1}, 0.01, {}) == ErrorCode::invalid_argument);
    CHECK(run(params, {std::int64_t{1} << 40, std::int64_t{1} << 40}, 0.01, {}) ==
          ErrorCode::invalid_argument);
    CHECK(run(params, {64, 64}, 0, {}) == ErrorCode::invalid_argument);
    CHECK(run(params, {64, 64}, std::nan(""), {}) == ErrorCode::invalid_argument);
    CHECK(run(params, {64, 64}, 1, {}) == ErrorCode::invalid_argument); // plates below 4 cells
    CrackParams wrong = params;
    wrong.ragged = 2;
    CHECK(run(wrong, {64, 64}, 0.01, {}) == ErrorCode::invalid_argument);
    wrong = params;
    wrong.crack_width = 5;
    CHECK(run(wrong, {64, 64}, 0.01, {}) == ErrorCode::invalid_argument);
    CHECK(run(params, {4096, 4096}, 0.01, {.memory_limit = 1 << 20}) == ErrorCode::out_of_memory);
    const std::atomic<bool> cancel{true};
    CHECK(run(params, {64, 64}, 0.01, {.cancel = &cancel}) == ErrorCode::cancelled);
}

TEST_CASE("cracks: progress rises to one, the registry has the layers") {
    double last = 0;
    bool rising = true;
    const Options options{.progress = [&](const Progress &p) {
        rising = rising && p.fraction >= last;
        last = p.fraction;
    }};
    const GeneratorInfo &info = find_generator("crack");
    for (const Preset &p : info.presets) {
        last = 0;
        Job job{ParamSet(info.params), {96, 64}, 0.01, 4};
        job.params.apply(p);
        const Artifact artifact = info.generate(job, options);
        CHECK(rising);
        CHECK(last == doctest::Approx(1));
        const auto asked = std::find_if(info.layers.begin(), info.layers.end(),
                                        [](const LayerInfo &layer) { return layer.on_request; });
        REQUIRE(artifact.layers.size() ==
                static_cast<std::size_t>(asked - info.layers.begin())); // those on request follow
        for (std::size_t i = 0; i < artifact.layers.size(); ++i) {
            CHECK(artifact.layers[i].name == info.layers[i].name);
            CHECK(extent(artifact.layers[i].data) == Extent3{96, 64, 1});
        }
    }
}

// A plate that wraps around the torus tilts without a step where its ends meet.
TEST_CASE("crack: a lone plate that wraps around is smooth") {
    CrackParams params; // larger than the ground: no crack, one plate
    params.plate_size = 100;
    params.piece_size = 100;
    params.crack_width = 0.01;
    params.relief = 1;
    const CrackResult result = generate_crack(params, {96, 64}, 0.5, 3);
    REQUIRE(result.plate_count == 1);
    for (std::int64_t y = 0; y < 64; ++y) {
        for (std::int64_t x = 0; x < 96; ++x) {
            const int here = result.depth.at(x, y);
            CHECK(std::abs(here - result.depth.at((x + 1) % 96, y)) < 2000);
            CHECK(std::abs(here - result.depth.at(x, (y + 1) % 64)) < 2000);
        }
    }
}

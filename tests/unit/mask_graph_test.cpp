// Skeletons and graphs of masks against counts that know nothing of them.
#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "generators/registry.hpp"
#include "shape/mask_graph.hpp"
#include "shape/skeleton.hpp"
#include "shape_fields.hpp"

using namespace karst;
using shape::Mask;
using shape::MaskGraph;
using shape_test::for_threads;
using TestJob = shape_test::Job;
using shape_test::random_mask;

namespace {

std::int64_t wrapped(std::int64_t i, std::int64_t size) {
    return ((i % size) + size) % size;
}

// Vertices, less edges, plus faces of the union of the closed cells on the torus.
std::int64_t euler(const Mask &mask) {
    const auto at = [&](std::int64_t x, std::int64_t y) {
        return mask.at(wrapped(x, mask.width()), wrapped(y, mask.height())) != 0;
    };
    std::int64_t sum = 0;
    for (std::int64_t y = 0; y < mask.height(); ++y) {
        for (std::int64_t x = 0; x < mask.width(); ++x) {
            const bool left = at(x, y) || at(x - 1, y);
            const bool top = at(x, y) || at(x, y - 1);
            const bool corner = left || at(x, y - 1) || at(x - 1, y - 1);
            sum += (at(x, y) ? 1 : 0) - (left ? 1 : 0) - (top ? 1 : 0) + (corner ? 1 : 0);
        }
    }
    return sum;
}

// 8-connected pieces of 1 (or 4-connected of 0) on the torus, by flooding.
std::int64_t pieces(const Mask &mask, bool of_ones) {
    std::vector<bool> seen(static_cast<std::size_t>(mask.size()));
    std::int64_t count = 0;
    for (std::int64_t start = 0; start < mask.size(); ++start) {
        if ((mask[start] != 0) != of_ones || seen[static_cast<std::size_t>(start)]) {
            continue;
        }
        ++count;
        std::deque<std::int64_t> open{start};
        seen[static_cast<std::size_t>(start)] = true;
        while (!open.empty()) {
            const std::int64_t x = open.front() % mask.width();
            const std::int64_t y = open.front() / mask.width();
            open.pop_front();
            for (std::int64_t dy = -1; dy <= 1; ++dy) {
                for (std::int64_t dx = -1; dx <= 1; ++dx) {
                    if (!of_ones && dx != 0 && dy != 0) {
                        continue;
                    }
                    const std::int64_t n = wrapped(y + dy, mask.height()) * mask.width() +
                                           wrapped(x + dx, mask.width());
                    if ((mask[n] != 0) == of_ones && !seen[static_cast<std::size_t>(n)]) {
                        seen[static_cast<std::size_t>(n)] = true;
                        open.push_back(n);
                    }
                }
            }
        }
    }
    return count;
}

std::int64_t pieces_of(const MaskGraph &graph) {
    std::vector<std::size_t> root(graph.nodes.size());
    std::iota(root.begin(), root.end(), std::size_t{0});
    const auto find = [&](std::size_t i) {
        while (root[i] != i) {
            i = root[i];
        }
        return i;
    };
    auto count = static_cast<std::int64_t>(root.size());
    for (const auto &edge : graph.edges) {
        const std::size_t a = find(edge.from);
        const std::size_t b = find(edge.to);
        count -= a != b ? 1 : 0;
        root[a] = b;
    }
    return count;
}

std::int64_t loops_of(const MaskGraph &graph) {
    return static_cast<std::int64_t>(graph.edges.size()) -
           static_cast<std::int64_t>(graph.nodes.size()) + pieces_of(graph);
}

std::int64_t nodes_of_degree(const MaskGraph &graph, std::size_t least, std::size_t most) {
    return std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](const auto &node) {
        return node.edges.size() >= least && node.edges.size() <= most;
    });
}

double cells(std::int64_t length) {
    return static_cast<double>(length) / shape::kGraphUnit;
}

double total_length(const MaskGraph &graph) {
    double sum = 0;
    for (const auto &edge : graph.edges) {
        sum += cells(edge.length);
    }
    return sum;
}

void fill(Mask &mask, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height) {
    for (std::int64_t v = y; v < y + height; ++v) {
        for (std::int64_t u = x; u < x + width; ++u) {
            mask.at(wrapped(u, mask.width()), wrapped(v, mask.height())) = 1;
        }
    }
}

MaskGraph graph_of(const Mask &mask) {
    TestJob job(1);
    return shape::mask_graph(job.run, mask, 9);
}

void check_topology(const Mask &mask, const MaskGraph &graph) {
    CHECK(pieces(graph.skeleton, true) == pieces(mask, true));
    CHECK(pieces(graph.skeleton, false) == pieces(mask, false));
    CHECK(euler(graph.skeleton) == euler(mask));
    CHECK(pieces_of(graph) == pieces(mask, true));
    CHECK(loops_of(graph) == pieces(mask, true) - euler(mask));
    for (std::int64_t i = 0; i < mask.size(); ++i) {
        CHECK((graph.skeleton[i] == 0 || mask[i] != 0));
    }
    // Ends stand where they are said to; lines begin and end at their nodes.
    for (std::uint32_t i = 0; i < graph.edges.size(); ++i) {
        const auto &edge = graph.edges[i];
        REQUIRE(edge.points.size() >= 2);
        const auto &from = graph.nodes[edge.from].at;
        const auto &to = graph.nodes[edge.to].at;
        CHECK(edge.points.front().x == from.x);
        CHECK(edge.points.front().y == from.y);
        CHECK((edge.points.back().x - to.x) % (mask.width() * shape::kGraphUnit) == 0);
        CHECK((edge.points.back().y - to.y) % (mask.height() * shape::kGraphUnit) == 0);
        const auto &edges = graph.nodes[edge.from].edges;
        CHECK(std::count(edges.begin(), edges.end(), i) == (edge.from == edge.to ? 2 : 1));
    }
}

} // namespace

TEST_CASE("mask graph: pieces and loops of random masks") {
    for (const Extent2 extent : {Extent2{4, 4}, {5, 7}, {4, 40}, {63, 65}, {64, 64}}) {
        for (const std::uint32_t share : {0u, 3u, 20u, 50u, 80u, 97u}) {
            for (std::uint64_t seed = 1; seed <= 3; ++seed) {
                INFO(extent.width, "x", extent.height, " ", share, " ", seed);
                const Mask mask = random_mask(extent, seed, share);
                if (pieces(mask, false) > 0) { // else the whole torus
                    check_topology(mask, graph_of(mask));
                }
            }
        }
    }
    Mask all({8, 9});
    fill(all, 0, 0, 8, 9);
    CHECK(graph_of(all).nodes.empty());
}

TEST_CASE("mask graph: the skeleton is thin and the same for all threads") {
    const Mask mask = random_mask({40, 37}, 4, 60);
    const Mask thin =
        for_threads([&](core::Run &run) { return shape::mask_graph(run, mask, 3).skeleton; });
    const std::int64_t ones = pieces(thin, true);
    const std::int64_t zeros = pieces(thin, false);
    for (std::int64_t i = 0; i < thin.size(); ++i) {
        if (thin[i] == 0) {
            continue;
        }
        int beside = 0;
        for (std::int64_t dy = -1; dy <= 1; ++dy) {
            for (std::int64_t dx = -1; dx <= 1; ++dx) {
                beside += thin.at(wrapped(i % 40 + dx, 40), wrapped(i / 40 + dy, 37));
            }
        }
        Mask without = thin;
        without[i] = 0;
        // What is no end cannot be taken away.
        CHECK((beside <= 2 || euler(without) != euler(thin) || pieces(without, true) != ones ||
               pieces(without, false) != zeros));
    }
}

TEST_CASE("mask graph: a wall of bricks") {
    // 4 courses of 3 bricks, half a brick apart, joints 5 cells wide, and dead ends into 3 bricks.
    constexpr std::int64_t kBrick = 60, kCourse = 40, kJoint = 5;
    Mask mask({3 * kBrick, 4 * kCourse});
    for (std::int64_t course = 0; course < 4; ++course) {
        fill(mask, 0, course * kCourse, 3 * kBrick, kJoint);
        for (std::int64_t brick = 0; brick < 3; ++brick) {
            fill(mask, brick * kBrick + course % 2 * (kBrick / 2), course * kCourse, kJoint,
                 kCourse);
        }
    }
    const MaskGraph plain = graph_of(mask);
    check_topology(mask, plain);
    CHECK(plain.nodes.size() == 24);
    CHECK(nodes_of_degree(plain, 3, 3) == 24);
    CHECK(plain.edges.size() == 36);
    CHECK(total_length(plain) == doctest::Approx(4 * 3 * kBrick + 12 * kCourse).epsilon(0.02));
    for (const auto &edge : plain.edges) {
        CHECK(cells(edge.width) == doctest::Approx(kJoint));
    }
    for (std::int64_t brick = 0; brick < 3; ++brick) {
        fill(mask, brick * kBrick + 18, kJoint, 3, 14); // a dead end
        fill(mask, brick * kBrick + 43, kJoint, 2, 2);  // a bump
    }
    const MaskGraph ends = graph_of(mask);
    check_topology(mask, ends);
    CHECK(nodes_of_degree(ends, 1, 1) == 3);
    CHECK(nodes_of_degree(ends, 3, 3) == 27);
    CHECK(ends.nodes.size() == 30);
    // Moved over the border it is the same graph.
    Mask moved(mask.extent());
    for (std::int64_t y = 0; y < mask.height(); ++y) {
        for (std::int64_t x = 0; x < mask.width(); ++x) {
            moved.at(wrapped(x + 71, mask.width()), wrapped(y + 133, mask.height())) =
                mask.at(x, y);
        }
    }
    const MaskGraph same = graph_of(moved);
    CHECK(same.nodes.size() == ends.nodes.size());
    CHECK(same.edges.size() == ends.edges.size());
    CHECK(total_length(same) == doctest::Approx(total_length(ends)).epsilon(0.01));
}

TEST_CASE("mask graph: rings, crossings, spots") {
    Mask ring({50, 30});
    fill(ring, 0, 10, 50, 4);
    const MaskGraph of_ring = graph_of(ring);
    REQUIRE(of_ring.nodes.size() == 1);
    REQUIRE(of_ring.edges.size() == 1);
    CHECK(of_ring.nodes[0].edges == std::vector<std::uint32_t>{0, 0});
    CHECK(cells(of_ring.edges[0].length) == doctest::Approx(50).epsilon(0.01));
    CHECK(cells(of_ring.edges[0].width) == doctest::Approx(4));

    Mask cross = ring;
    fill(cross, 20, 0, 6, 30);
    const MaskGraph of_cross = graph_of(cross);
    CHECK(of_cross.nodes.size() == 1);
    CHECK(of_cross.nodes[0].edges.size() == 4);
    CHECK(of_cross.edges.size() == 2);
    CHECK(total_length(of_cross) == doctest::Approx(80).epsilon(0.02));

    Mask disc({60, 60});
    for (std::int64_t y = 0; y < 60; ++y) {
        for (std::int64_t x = 0; x < 60; ++x) {
            disc.at(x, y) = (x - 30) * (x - 30) + (y - 30) * (y - 30) <= 100 ? 1 : 0;
        }
    }
    const MaskGraph of_disc = graph_of(disc);
    CHECK(pieces_of(of_disc) == 1);
    CHECK(of_disc.edges.size() <= 1);
    CHECK(total_length(of_disc) < 20);
}

TEST_CASE("signed distance: as a search over all cells gives it") {
    TestJob job(1);
    for (const Extent2 extent : shape_test::kExtents) {
        for (const Boundary edges : shape_test::kEdges) {
            const Mask mask = random_mask(extent, 8, 10);
            const double range = 5.5;
            const auto field = for_threads(
                [&](core::Run &run) { return shape::signed_distance(run, mask, range, edges); });
            for (std::int64_t y = 0; y < extent.height; ++y) {
                for (std::int64_t x = 0; x < extent.width; ++x) {
                    double nearest = 1e9;
                    for (std::int64_t v = y - 7; v <= y + 7; ++v) {
                        for (std::int64_t u = x - 7; u <= x + 7; ++u) {
                            const bool beyond =
                                u < 0 || v < 0 || u >= extent.width || v >= extent.height;
                            const bool object =
                                (beyond && edges == Boundary::bounded) ||
                                mask.at(wrapped(u, extent.width), wrapped(v, extent.height)) != 0;
                            if (object != (mask.at(x, y) != 0)) {
                                nearest = std::min(nearest, std::hypot(static_cast<double>(u - x),
                                                                       static_cast<double>(v - y)));
                            }
                        }
                    }
                    const double cells = std::min(range, nearest - 0.5);
                    const double expected =
                        32768 + (mask.at(x, y) != 0 ? -1 : 1) * cells / range * 32767;
                    CHECK(std::abs(field.at(x, y) - expected) < 0.51);
                }
            }
        }
    }
}

TEST_CASE("crack: the graph parts the plates that the map has") {
    const GeneratorInfo &row = find_generator("crack");
    for (const Extent2 extent : {Extent2{1, 1}, Extent2{3, 50}, Extent2{301, 260}}) {
        Job job{ParamSet(row.params), extent, 0.005, 4};
        job.layers = {"graph", "graph_svg", "distance", "ambient_occlusion", "normal"};
        const Artifact made = row.generate(job, {.threads = 2});
        CHECK(made.layers.size() == 7);
        const auto graph = nlohmann::json::parse(made.document("graph").text);
        const auto &mask = std::get<Field2D<std::uint8_t>>(made.layer("mask").data);
        const auto &plates = std::get<Field2D<std::uint32_t>>(made.layer("plates").data);
        const auto loops = static_cast<std::int64_t>(graph["edges"].size()) -
                           static_cast<std::int64_t>(graph["nodes"].size());
        if (std::min(extent.width, extent.height) < 4) {
            continue; // cells that touch themselves: the counts here do not hold
        }
        CHECK(loops == -euler(mask));
        double area = 0;
        std::int64_t agree = 0, asked = 0;
        for (const auto &edge : graph["edges"]) {
            area += edge["length"].get<double>() * edge["width"].get<double>();
            const auto &points = edge["points"];
            const std::size_t middle = points.size() / 2;
            const double x0 = points[middle - 1][0], y0 = points[middle - 1][1];
            const double x1 = points[middle][0], y1 = points[middle][1];
            const double along = std::hypot(x1 - x0, y1 - y0);
            const double off = (edge["width"].get<double>() / 2 + 0.01) / along;
            // Left of the way is (dy, -dx), as y grows to the south.
            for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
                const double turn = side == 0 ? off : -off;
                const double x = (x0 + x1) / 2 + (y1 - y0) * turn;
                const double y = (y0 + y1) / 2 - (x1 - x0) * turn;
                const std::uint32_t plate = plates.at(
                    wrapped(static_cast<std::int64_t>(std::floor(x / 0.005)), extent.width),
                    wrapped(static_cast<std::int64_t>(std::floor(y / 0.005)), extent.height));
                if (plate != 0xFFFFFFFF && !edge["plates"][side].is_null()) {
                    ++asked;
                    agree += plate == edge["plates"][side].get<std::uint32_t>() ? 1 : 0;
                }
            }
        }
        const double cracked =
            static_cast<double>(std::count(mask.cells().begin(), mask.cells().end(), 255)) * 0.005 *
            0.005;
        CHECK(area == doctest::Approx(cracked).epsilon(0.1));
        CHECK(asked > 100);
        CHECK(agree >= asked * 95 / 100);
        CHECK(made.document("graph_svg").text.starts_with("<?xml"));
    }
}

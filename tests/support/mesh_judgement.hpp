// Slow and obvious judgements of meshes and volumes, for the tests of surfaces.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <karst/field.hpp>
#include <karst/mesh.hpp>

#include "core/run.hpp"
#include "core/thread_pool.hpp"

namespace mesh_test {

using karst::Extent3;
using karst::Field3D;
using karst::Mesh;
using karst::Vec3;

struct Job { // a running job of so many threads
    explicit Job(int threads = 1) : run(with(threads)) {}
    static karst::Options with(int threads) {
        karst::Options options;
        options.threads = threads;
        return options;
    }
    karst::core::Run run;
};

inline Field3D<std::uint8_t> soup(Extent3 extent, double open_share, unsigned seed) {
    std::mt19937 draw(seed); // of a fixed definition; any soup will do
    Field3D<std::uint8_t> open(extent);
    for (auto &cell : open.cells()) {
        cell = static_cast<double>(draw()) < open_share * 4294967296.0 ? 1 : 0;
    }
    return open;
}

// Cells - pairs + full squares - full blocks.
inline std::int64_t euler_of_open(const Field3D<std::uint8_t> &open) {
    std::int64_t sum = 0;
    const Extent3 e = open.extent();
    for (int part = 0; part < 8; ++part) { // the axes along which a part has two cells
        const int dx = part & 1, dy = part >> 1 & 1, dz = part >> 2 & 1;
        const int sign = (dx + dy + dz) % 2 == 0 ? 1 : -1;
        for (std::int64_t z = 0; z + dz < e.depth; ++z) {
            for (std::int64_t y = 0; y + dy < e.height; ++y) {
                for (std::int64_t x = 0; x + dx < e.width; ++x) {
                    bool full = true;
                    for (int i = 0; i < 8; ++i) {
                        full = full &&
                               open.at(x + (i & dx), y + (i >> 1 & dy), z + (i >> 2 & dz)) != 0;
                    }
                    sum += full ? sign : 0;
                }
            }
        }
    }
    return sum;
}

// Sets that merge.
class Partition {
public:
    explicit Partition(std::size_t size) : parent_(size) {
        std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    }
    std::size_t find(std::size_t i) {
        while (parent_[i] != i) {
            i = parent_[i] = parent_[parent_[i]];
        }
        return i;
    }
    void join(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }

private:
    std::vector<std::size_t> parent_;
};

// Sets of cells that are alike: open ones by their six neighbours, rock by all 26. With `around`,
// the cells of a layer around the volume count too: 0 rock, 1 open, -1 there is none.
inline std::int64_t components(const Field3D<std::uint8_t> &open, bool of_open, int around) {
    const Extent3 e = {open.width() + 2, open.height() + 2, open.depth() + 2};
    const auto state = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        const bool inside =
            x > 0 && y > 0 && z > 0 && x <= open.width() && y <= open.height() && z <= open.depth();
        return inside ? int{open.at(x - 1, y - 1, z - 1) != 0} : around;
    };
    const auto index = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        return static_cast<std::size_t>((z * e.height + y) * e.width + x);
    };
    const int wanted = of_open ? 1 : 0;
    Partition sets(static_cast<std::size_t>(e.cells()));
    std::vector<std::size_t> members;
    for (std::int64_t z = 0; z < e.depth; ++z) {
        for (std::int64_t y = 0; y < e.height; ++y) {
            for (std::int64_t x = 0; x < e.width; ++x) {
                if (state(x, y, z) != wanted) {
                    continue;
                }
                members.push_back(index(x, y, z));
                for (int i = 0; i < 27; ++i) {
                    const std::int64_t u = x + i % 3 - 1, v = y + i / 3 % 3 - 1, w = z + i / 9 - 1;
                    const int moved = (i % 3 != 1) + (i / 3 % 3 != 1) + (i / 9 != 1);
                    if ((of_open && moved > 1) || u < 0 || v < 0 || w < 0 || u >= e.width ||
                        v >= e.height || w >= e.depth || state(u, v, w) != wanted) {
                        continue;
                    }
                    sets.join(index(x, y, z), index(u, v, w));
                }
            }
        }
    }
    return std::count_if(members.begin(), members.end(),
                         [&](std::size_t i) { return sets.find(i) == i; });
}

// Faces between an open cell and one of rock, with a layer of cells around the volume: 0 rock,
// 1 open.
inline std::int64_t faces(const Field3D<std::uint8_t> &open, int around) {
    const auto state = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        const bool inside =
            x >= 0 && y >= 0 && z >= 0 && x < open.width() && y < open.height() && z < open.depth();
        return inside ? open.at(x, y, z) != 0 : around != 0;
    };
    std::int64_t count = 0;
    for (std::int64_t z = -1; z < open.depth(); ++z) {
        for (std::int64_t y = -1; y < open.height(); ++y) {
            for (std::int64_t x = -1; x < open.width(); ++x) {
                const bool here = state(x, y, z);
                count += (here != state(x + 1, y, z)) + (here != state(x, y + 1, z)) +
                         (here != state(x, y, z + 1));
            }
        }
    }
    return count;
}

struct VolumeRange {
    double least, most; // m^3
};

// What the volume of the surface between open cells and rock can be, with a layer of cells around:
// 0 rock, so that it is that of the open cells, counted negative as faces look into the air;
// 1 open, so that it is that of the rock. `slack` is in cells for each face between them.
inline VolumeRange volume_range(const Field3D<std::uint8_t> &open, int around, double cell,
                                double slack) {
    const auto air = std::count_if(open.cells().begin(), open.cells().end(),
                                   [](std::uint8_t value) { return value != 0; });
    const auto cells = static_cast<double>(around == 0 ? -air : open.size() - air);
    const double most = slack * static_cast<double>(faces(open, around));
    const double volume = cell * cell * cell;
    // The sign stays: inside out is wrong whatever the slack.
    return {around == 0 ? (cells - most) * volume : std::max(0.0, (cells - most) * volume),
            around == 0 ? std::min(0.0, (cells + most) * volume) : (cells + most) * volume};
}

// The slack that no surface of marching cubes exceeds, because none does in a cube between eight
// samples. Of its samples k are open; e of its edges join an open one and rock and stand for a
// quarter of a face each, so that e / 8 is allowed; the open cells fill k / 8.
//     k = 1, e = 3        the surface cuts off at most a sixth: off by at most 1/8
//     k = 2, e = 4        neighbours: it cuts off at most a prism of 1/2, off by at most 2/8
//     k = 2, e = 6        it cuts off anything from 0 to 1: off by at most 6/8
//     k = 3, e = 5, 7, 9  anything: off by at most 5/8
//     k = 4, e = 4        a face: a height from 0 to 1 over each corner, off by at most 4/8
//     k = 4, e = 6 to 12  anything: off by at most 4/8
// More than four are the same with rock and air exchanged.
inline constexpr double kAnySlack = 0.5;

struct Judgement {
    bool oriented = true;    // no directed edge twice
    bool fans = true;        // the triangles of a vertex are one fan or one closed fan
    bool no_collapse = true; // three different vertices with different positions, an area
    bool all_used = true;    // no vertex without a triangle
    std::size_t borders = 0; // edges of one triangle
    std::size_t loops = 0;   // closed chains of them
    std::size_t parts = 0;   // connected by edges
    std::int64_t euler = 0;
    double volume = 0; // to the front side of the triangles it counts negative
};

inline double signed_volume(const Mesh &mesh) {
    double volume = 0;
    for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
        const Vec3 &a = mesh.positions[mesh.indices[i]];
        const Vec3 &b = mesh.positions[mesh.indices[i + 1]];
        const Vec3 &c = mesh.positions[mesh.indices[i + 2]];
        volume += (double{a[0]} * (double{b[1]} * c[2] - double{b[2]} * c[1]) +
                   double{a[1]} * (double{b[2]} * c[0] - double{b[0]} * c[2]) +
                   double{a[2]} * (double{b[0]} * c[1] - double{b[1]} * c[0])) /
                  6;
    }
    return volume;
}

inline Judgement judge(const Mesh &mesh) {
    Judgement verdict;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> edges; // directed: triangle
    const std::size_t vertices = mesh.positions.size();
    std::vector<std::size_t> corners_of(vertices);
    Partition parts(vertices);
    for (std::size_t t = 0; t < mesh.triangles(); ++t) {
        const std::uint32_t *v = mesh.indices.data() + 3 * t;
        for (std::size_t i = 0; i < 3; ++i) {
            verdict.oriented &= edges.emplace(std::pair(v[i], v[(i + 1) % 3]), t).second;
            ++corners_of[v[i]];
            parts.join(v[i], v[(i + 1) % 3]);
            verdict.no_collapse &= mesh.positions[v[i]] != mesh.positions[v[(i + 1) % 3]];
        }
        verdict.no_collapse &= v[0] != v[1] && v[1] != v[2] && v[2] != v[0];
    }
    std::size_t undirected = 0;
    std::map<std::uint32_t, std::uint32_t> border; // along the border, against the triangles
    for (const auto &[edge, triangle] : edges) {
        const bool twin = edges.count({edge.second, edge.first}) != 0;
        undirected += !twin || edge.first < edge.second ? 1u : 0u;
        if (!twin) {
            ++verdict.borders;
            verdict.fans &= border.emplace(edge.second, edge.first).second;
        }
    }
    for (auto at = border.begin(); at != border.end(); at = border.begin()) {
        const std::uint32_t start = at->first;
        std::uint32_t vertex = start;
        do {
            const auto next = border.find(vertex);
            verdict.fans &= next != border.end();
            if (next == border.end()) {
                return verdict;
            }
            vertex = next->second;
            border.erase(next);
        } while (vertex != start);
        ++verdict.loops;
    }
    // A walk around each vertex from each of its corners: the longest sees all of a single fan.
    std::vector<std::size_t> fan(vertices);
    for (std::size_t t = 0; t < mesh.triangles(); ++t) {
        for (std::size_t i = 0; i < 3; ++i) {
            const std::uint32_t centre = mesh.indices[3 * t + i];
            std::size_t triangle = t, steps = 0;
            do {
                ++steps;
                const std::uint32_t *v = mesh.indices.data() + 3 * triangle;
                const std::size_t at = v[0] == centre ? 0 : v[1] == centre ? 1 : 2;
                const auto next = edges.find({centre, v[(at + 2) % 3]});
                if (next == edges.end()) {
                    break;
                }
                triangle = next->second;
            } while (triangle != t && steps <= corners_of[centre]);
            fan[centre] = std::max(fan[centre], steps);
        }
    }
    std::set<std::size_t> roots;
    for (std::size_t v = 0; v < vertices; ++v) {
        verdict.fans &= fan[v] == corners_of[v];
        verdict.all_used &= corners_of[v] != 0;
        roots.insert(parts.find(v));
    }
    verdict.parts = roots.size();
    verdict.euler = static_cast<std::int64_t>(vertices) - static_cast<std::int64_t>(undirected) +
                    static_cast<std::int64_t>(mesh.triangles());
    verdict.volume = signed_volume(mesh);
    return verdict;
}

} // namespace mesh_test

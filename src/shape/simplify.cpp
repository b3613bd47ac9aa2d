#include "shape/simplify.hpp"

#include <algorithm>
#include <span>

#include <meshoptimizer.h>

namespace karst::shape {

namespace {

using Indices = std::vector<std::uint32_t>;

struct Corner { // of a triangle at a vertex: its two other vertices
    std::uint32_t next, previous;
};

// Whether the corners make one fan, open or closed around three or more.
bool one_fan(std::span<const Corner> corners) {
    std::size_t start = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
        bool led_to = false;
        for (std::size_t k = 0; k < corners.size(); ++k) {
            if (k != i && corners[k].next == corners[i].next) {
                return false; // two triangles on one side of an edge
            }
            led_to = led_to || corners[k].previous == corners[i].next;
        }
        start = led_to ? start : i;
    }
    std::size_t reached = 0;
    std::uint32_t at = corners[start].next;
    for (; reached < corners.size(); ++reached) {
        const auto corner = std::find_if(corners.begin(), corners.end(),
                                         [at](const Corner &c) { return c.next == at; });
        if (corner == corners.end() || (reached > 0 && at == corners[start].next)) {
            break;
        }
        at = corner->previous;
    }
    const bool closed = at == corners[start].next;
    return reached == corners.size() && (!closed || reached >= 3);
}

// 1 for each vertex whose triangles are not one fan.
std::vector<std::uint8_t> find_faults(std::size_t vertices, const Indices &indices) {
    std::vector<std::size_t> first(vertices + 1);
    for (const std::uint32_t index : indices) {
        ++first[index + 1];
    }
    for (std::size_t v = 0; v < vertices; ++v) {
        first[v + 1] += first[v];
    }
    std::vector<Corner> corners(indices.size());
    std::vector<std::size_t> end(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < indices.size(); i += 3) {
        for (std::size_t c = 0; c < 3; ++c) {
            corners[end[indices[i + c]]++] = {indices[i + (c + 1) % 3], indices[i + (c + 2) % 3]};
        }
    }
    std::vector<std::uint8_t> faults(vertices);
    for (std::size_t v = 0; v < vertices; ++v) {
        const std::span<const Corner> around(corners.data() + first[v], first[v + 1] - first[v]);
        faults[v] = !around.empty() && !one_fan(around) ? 1 : 0;
    }
    return faults;
}

bool touches(const std::vector<std::uint8_t> &marks, const std::uint32_t *triangle) {
    return (marks[triangle[0]] | marks[triangle[1]] | marks[triangle[2]]) != 0;
}

} // namespace

Indices simplify(const std::vector<Vec3> &positions, const Indices &indices, std::size_t target,
                 double error, std::vector<std::uint8_t> &kept) {
    constexpr int kTrials = 8;
    if (indices.empty()) {
        return {};
    }
    const std::size_t vertices = positions.size();
    kept.resize(vertices);
    const float *places = positions[0].data();
    const float scale = meshopt_simplifyScale(places, vertices, sizeof(Vec3));
    const double relative = scale > 0 ? std::min(error / scale, 1.0) : 1.0;
    const std::vector<std::uint8_t> before = find_faults(vertices, indices);
    for (int trial = 0; trial < kTrials; ++trial) {
        Indices result, rest;
        for (std::size_t i = 0; i < indices.size(); i += 3) {
            Indices &to = touches(kept, indices.data() + i) ? result : rest;
            to.insert(to.end(), indices.data() + i, indices.data() + i + 3);
        }
        Indices fewer(rest.size());
        fewer.resize(
            meshopt_simplify(fewer.data(), rest.data(), rest.size(), places, vertices, sizeof(Vec3),
                             3 * target - std::min(3 * target, result.size()),
                             static_cast<float>(relative), meshopt_SimplifyLockBorder, nullptr));
        result.insert(result.end(), fewer.begin(), fewer.end());

        std::vector<std::uint8_t> faults = find_faults(vertices, result);
        bool found = false;
        for (std::size_t v = 0; v < vertices; ++v) {
            faults[v] = faults[v] != 0 && before[v] == 0 ? 1 : 0;
            found = found || faults[v] != 0;
        }
        if (!found) {
            return result;
        }
        for (std::size_t i = 0; i < indices.size(); i += 3) {
            if (touches(faults, indices.data() + i)) {
                kept[indices[i]] = kept[indices[i + 1]] = kept[indices[i + 2]] = 1;
            }
        }
    }
    return indices;
}

} // namespace karst::shape

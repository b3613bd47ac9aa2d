#include "shape/gpu_order.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include <meshoptimizer.h>

#include "core/memory.hpp"
#include "shape/vectors.hpp"

namespace karst::shape {

namespace {

constexpr float kOverdraw = 1.05f; // how much worse the vertex cache may be

using Triangles = std::span<const std::uint32_t>; // three indices each

// Consecutive triangles of equal number, give or take one. They depend on the mesh alone.
class Parts {
public:
    Parts(Triangles indices, std::size_t most)
        : indices_(indices), count_((indices.size() / 3 + most - 1) / most) {}

    std::size_t count() const { return count_; }
    std::size_t begin(std::size_t part) const { return indices_.size() / 3 * part / count_ * 3; }
    Triangles operator[](std::size_t part) const {
        return indices_.subspan(begin(part), begin(part + 1) - begin(part));
    }
    // f(part) for each, in parallel.
    template <class F>
    void each(core::Run &run, F &&f) const {
        run.for_ranges(static_cast<std::int64_t>(count_), 1,
                       [&](std::int64_t begin, std::int64_t end) {
                           for (std::int64_t part = begin; part < end; ++part) {
                               run.check_cancel();
                               f(static_cast<std::size_t>(part));
                           }
                       });
    }

private:
    Triangles indices_;
    std::size_t count_;
};

// The numbers of a part's vertices lie near one another, so it gets on with those between the least
// and the greatest.
void order(const Mesh &mesh, Triangles indices, unsigned *out) {
    const auto [least, greatest] = std::minmax_element(indices.begin(), indices.end());
    const std::uint32_t low = *least;
    const std::size_t vertices = std::size_t{*greatest} - low + 1;
    std::vector<unsigned> own(indices.size()), cached(indices.size());
    std::transform(indices.begin(), indices.end(), own.begin(),
                   [low](std::uint32_t vertex) { return vertex - low; });
    meshopt_optimizeVertexCache(cached.data(), own.data(), own.size(), vertices);
    meshopt_optimizeOverdraw(out, cached.data(), cached.size(), mesh.positions[low].data(),
                             vertices, sizeof(Vec3), kOverdraw);
    for (std::size_t i = 0; i < indices.size(); ++i) {
        out[i] += low;
    }
}

} // namespace

Mesh in_gpu_order(core::Run &run, const Mesh &mesh, std::size_t together) {
    require_whole(run, mesh, "in_gpu_order");
    if (mesh.indices.empty()) {
        return {};
    }
    const Parts parts(mesh.indices, together);
    const auto ordered = core::unwritten_array<unsigned>(mesh.indices.size());
    parts.each(run, [&](std::size_t part) {
        order(mesh, parts[part], ordered.get() + parts.begin(part));
    });
    return in_order_of_use(run, mesh, {ordered.get(), mesh.indices.size()});
}

Mesh in_order_of_use(core::Run &run, const Mesh &mesh, Triangles indices) {
    constexpr std::uint32_t kNone = UINT32_MAX;
    const Parts parts(indices, kTrianglesTogether);
    const std::size_t vertices = mesh.positions.size();
    const auto each_vertex = [&](auto &&f) {
        run.for_ranges(static_cast<std::int64_t>(vertices), 1 << 14,
                       [&](std::int64_t begin, std::int64_t end) {
                           for (std::int64_t i = begin; i < end; ++i) {
                               f(static_cast<std::size_t>(i));
                           }
                       });
    };
    const auto user = core::unwritten_array<std::uint32_t>(vertices); // the first part, or kNone
    const auto number = core::unwritten_array<std::uint32_t>(vertices);
    each_vertex([&](std::size_t vertex) { user[vertex] = number[vertex] = kNone; });
    parts.each(run, [&](std::size_t part) {
        const auto its = static_cast<std::uint32_t>(part);
        for (const std::uint32_t vertex : parts[part]) {
            const std::atomic_ref first(user[vertex]);
            std::uint32_t known = first.load(std::memory_order_relaxed);
            while (its < known &&
                   !first.compare_exchange_weak(known, its, std::memory_order_relaxed)) {
            }
        }
    });
    // Each part numbers those that it is the first to use; only it reads and writes their numbers.
    std::vector<std::uint32_t> before(parts.count() + 1);
    parts.each(run, [&](std::size_t part) {
        std::uint32_t used = 0;
        for (const std::uint32_t vertex : parts[part]) {
            if (user[vertex] == part && number[vertex] == kNone) {
                number[vertex] = used++;
            }
        }
        before[part + 1] = used;
    });
    std::partial_sum(before.begin(), before.end(), before.begin());
    each_vertex([&](std::size_t vertex) {
        if (user[vertex] != kNone) {
            number[vertex] += before[user[vertex]];
        }
    });

    Mesh result;
    const auto move = [&](const auto &from, auto &to) {
        if (!from.empty()) {
            core::resize(run, to, before.back());
            each_vertex([&](std::size_t vertex) {
                if (number[vertex] != kNone) {
                    to[number[vertex]] = from[vertex];
                }
            });
        }
    };
    move(mesh.positions, result.positions);
    move(mesh.normals, result.normals);
    move(mesh.uvs, result.uvs);
    move(mesh.tangents, result.tangents);
    core::resize(run, result.indices, indices.size());
    run.for_ranges(static_cast<std::int64_t>(indices.size()), 1 << 15,
                   [&](std::int64_t begin, std::int64_t end) {
                       std::transform(indices.begin() + begin, indices.begin() + end,
                                      result.indices.begin() + begin,
                                      [&](std::uint32_t vertex) { return number[vertex]; });
                   });
    return result;
}

} // namespace karst::shape

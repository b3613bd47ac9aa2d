#include "shape/heightmesh.hpp"

#include <algorithm>
#include <cmath>

#include <karst/error.hpp>

namespace karst::shape {

namespace {

class SolidBuilder {
public:
    SolidBuilder(const Field2D<std::uint16_t> &height, const Triangulation &triangulation,
                 const HeightScale &scale)
        : height_(height), triangulation_(triangulation), scale_(scale) {
        mesh_.positions.reserve(triangulation.samples.size());
        mesh_.normals.reserve(triangulation.samples.size());
        mesh_.uvs.reserve(triangulation.samples.size());
        for (const Cell2 sample : triangulation.samples) {
            add(position(sample), normal(sample));
        }
        mesh_.indices = triangulation.indices;
        find_border();
    }

    // A strip below the border that keeps the ground's normals, so that its shade does not tell.
    void add_skirt(double depth) {
        const auto first = static_cast<std::uint32_t>(mesh_.positions.size());
        for (const std::uint32_t i : border_) {
            Vec3 below = mesh_.positions[i];
            below[1] = static_cast<float>(below[1] - depth);
            add(below, mesh_.normals[i]);
        }
        for (std::size_t k = 0; k < border_.size(); ++k) {
            const std::size_t next = (k + 1) % border_.size();
            quad(border_[k], border_[next], first + static_cast<std::uint32_t>(next),
                 first + static_cast<std::uint32_t>(k));
        }
    }

    // Four walls and a bottom of their own vertices, since their normals differ.
    void add_base(float level) {
        for (std::size_t k = 0; k < border_.size(); ++k) {
            const std::uint32_t a = border_[k];
            const std::uint32_t b = border_[(k + 1) % border_.size()];
            const Vec3 outwards = side_normal(a, b);
            const std::uint32_t top_a = add(mesh_.positions[a], outwards);
            const std::uint32_t top_b = add(mesh_.positions[b], outwards);
            quad(top_a, top_b, add(at_level(b, level), outwards),
                 add(at_level(a, level), outwards));
        }
        const auto middle = [this](std::int64_t samples) {
            return static_cast<float>(static_cast<double>(samples - 1) / 2 * scale_.cell);
        };
        const Vec3 down{0, -1, 0};
        const std::uint32_t centre =
            add({middle(height_.width()), level, middle(height_.height())}, down);
        const auto first = static_cast<std::uint32_t>(mesh_.positions.size());
        for (const std::uint32_t i : border_) {
            add(at_level(i, level), down);
        }
        for (std::size_t k = 0; k < border_.size(); ++k) {
            const auto next = static_cast<std::uint32_t>((k + 1) % border_.size());
            mesh_.indices.insert(mesh_.indices.end(),
                                 {centre, first + static_cast<std::uint32_t>(k), first + next});
        }
    }

    Mesh take() { return std::move(mesh_); }

private:
    double metres(std::int64_t x, std::int64_t y) const {
        const std::int64_t u = std::clamp<std::int64_t>(x, 0, height_.width() - 1);
        const std::int64_t v = std::clamp<std::int64_t>(y, 0, height_.height() - 1);
        return height_.at(u, v) * scale_.step + scale_.offset;
    }

    Vec3 position(Cell2 at) const {
        return {static_cast<float>(at.x * scale_.cell), static_cast<float>(metres(at.x, at.y)),
                static_cast<float>(at.y * scale_.cell)};
    }

    // From central differences, one-sided at the border.
    Vec3 normal(Cell2 at) const {
        const auto slope = [this](double low, double high, std::int64_t place, std::int64_t side) {
            const int cells = (place > 0 ? 1 : 0) + (place + 1 < side ? 1 : 0);
            return (high - low) / (std::max(cells, 1) * scale_.cell);
        };
        const double x =
            slope(metres(at.x - 1, at.y), metres(at.x + 1, at.y), at.x, height_.width());
        const double z =
            slope(metres(at.x, at.y - 1), metres(at.x, at.y + 1), at.y, height_.height());
        const double length = std::sqrt(x * x + z * z + 1);
        return {static_cast<float>(-x / length), static_cast<float>(1 / length),
                static_cast<float>(-z / length)};
    }

    std::uint32_t add(Vec3 position, Vec3 normal) {
        mesh_.positions.push_back(position);
        mesh_.normals.push_back(normal);
        mesh_.uvs.push_back(uv(position, normal));
        return static_cast<std::uint32_t>(mesh_.positions.size() - 1);
    }

    // Metres along the ground, or along a wall that stands upright.
    static Vec2 uv(Vec3 position, Vec3 normal) {
        if (normal[1] == 0) {
            return {normal[0] == 0 ? position[0] : position[2], -position[1]};
        }
        return {position[0], position[2]};
    }

    void quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
        mesh_.indices.insert(mesh_.indices.end(), {a, b, c, a, c, d});
    }

    Vec3 at_level(std::uint32_t i, float level) const {
        return {mesh_.positions[i][0], level, mesh_.positions[i][2]};
    }

    // Of the wall below the border from a to b.
    Vec3 side_normal(std::uint32_t a, std::uint32_t b) const {
        if (mesh_.positions[a][2] == mesh_.positions[b][2]) {
            return {0, 0, mesh_.positions[a][2] == 0 ? -1.0f : 1.0f};
        }
        return {mesh_.positions[a][0] == 0 ? -1.0f : 1.0f, 0, 0};
    }

    // The vertices along the border: east along the north side and so on around.
    void find_border() {
        const auto right = static_cast<std::int32_t>(height_.width() - 1);
        const auto bottom = static_cast<std::int32_t>(height_.height() - 1);
        const auto &samples = triangulation_.samples;
        std::vector<std::pair<std::int64_t, std::uint32_t>> around;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const auto [x, y] = samples[i];
            std::int64_t way = -1;
            if (y == 0) {
                way = x;
            } else if (x == right) {
                way = std::int64_t{right} + y;
            } else if (y == bottom) {
                way = 2 * std::int64_t{right} + bottom - x;
            } else if (x == 0) {
                way = 2 * (std::int64_t{right} + bottom) - y;
            }
            if (way >= 0) {
                around.emplace_back(way, static_cast<std::uint32_t>(i));
            }
        }
        std::sort(around.begin(), around.end());
        for (const auto &[way, i] : around) {
            border_.push_back(i);
        }
    }

    const Field2D<std::uint16_t> &height_;
    const Triangulation &triangulation_;
    HeightScale scale_;
    Mesh mesh_;
    std::vector<std::uint32_t> border_;
};

} // namespace

Triangulation triangulate_grid(Extent2 extent) {
    Triangulation result;
    result.samples.reserve(static_cast<std::size_t>(extent.cells()));
    result.indices.reserve(static_cast<std::size_t>(extent.cells()) * 6);
    for (std::int32_t y = 0; y < extent.height; ++y) {
        for (std::int32_t x = 0; x < extent.width; ++x) {
            result.samples.push_back({x, y});
        }
    }
    for (std::int64_t y = 0; y + 1 < extent.height; ++y) {
        for (std::int64_t x = 0; x + 1 < extent.width; ++x) {
            const auto a = static_cast<std::uint32_t>(y * extent.width + x);
            const std::uint32_t b = a + 1;
            const auto c = a + static_cast<std::uint32_t>(extent.width);
            const std::uint32_t d = c + 1;
            if ((x + y) % 2 == 0) {
                result.indices.insert(result.indices.end(), {a, c, d, a, d, b});
            } else {
                result.indices.insert(result.indices.end(), {a, c, b, b, c, d});
            }
        }
    }
    return result;
}

Mesh height_mesh(const Field2D<std::uint16_t> &height, const Triangulation &triangulation,
                 const HeightScale &scale, double skirt, double base) {
    if (skirt > 0 && base > 0) {
        throw Error(ErrorCode::invalid_argument,
                    "skirt and base are both above 0; allowed is one of them");
    }
    // A base adds at most five vertices for each of the border and one, a skirt fewer.
    const std::size_t border = 2 * static_cast<std::size_t>(height.width() + height.height());
    if (triangulation.samples.size() + 5 * border + 1 > 0xfffffffeu) {
        throw Error(ErrorCode::unsupported,
                    "the mesh would have " + std::to_string(triangulation.samples.size()) +
                        " vertices; 32-bit indices allow fewer than 4294967295");
    }
    SolidBuilder builder(height, triangulation, scale);
    if (skirt > 0) {
        builder.add_skirt(skirt);
    } else if (base > 0) {
        const auto lowest = *std::min_element(height.cells().begin(), height.cells().end());
        builder.add_base(static_cast<float>(lowest * scale.step + scale.offset - base));
    }
    return builder.take();
}

} // namespace karst::shape

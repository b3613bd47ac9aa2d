// Vectors of doubles for geometry: + - * / and square root, each written out in one order.
#pragma once

#include <array>
#include <cmath>

#include <karst/mesh.hpp>

#include "core/run.hpp"

namespace karst::shape {

struct Vector {
    double x = 0, y = 0, z = 0;
};

inline Vector operator+(Vector a, Vector b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vector operator-(Vector a, Vector b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vector operator*(Vector a, double s) {
    return {a.x * s, a.y * s, a.z * s};
}

inline double dot(Vector a, Vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vector cross(Vector a, Vector b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

inline Vector to_vector(const Vec3 &v) {
    return {v[0], v[1], v[2]};
}
inline Vec3 to_vec3(Vector v) {
    return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

// `v` at length 1, or `otherwise` if v has none.
inline Vector unit(Vector v, Vector otherwise) {
    const double length = std::sqrt(dot(v, v));
    return length > 0 ? Vector{v.x / length, v.y / length, v.z / length} : otherwise;
}

// The corners of a triangle of a mesh.
inline std::array<Vector, 3> corners(const Mesh &mesh, std::size_t triangle) {
    const std::uint32_t *index = mesh.indices.data() + 3 * triangle;
    return {to_vector(mesh.positions[index[0]]), to_vector(mesh.positions[index[1]]),
            to_vector(mesh.positions[index[2]])};
}

// Throws Error(invalid_argument) naming `function` for a mesh that is not whole (mesh.hpp).
void require_whole(core::Run &run, const Mesh &mesh, const char *function);

} // namespace karst::shape

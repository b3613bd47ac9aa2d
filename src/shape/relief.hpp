// What a surface is like from close by: its normals, its slope, its curvature.
//
// Heights grow upwards and `rise` is the length of one height step in cells. Beyond the edge of a
// bounded field the ground goes on straight, so that a plane is a plane up to its edge.
#pragma once

#include <cstdint>

#include <karst/artifact.hpp>
#include <karst/field.hpp>
#include <karst/simulate.hpp>

#include "core/run.hpp"

namespace karst::shape {

// Which way the green of a normal map grows: up in the picture, as OpenGL, Blender, Unity and Godot
// have it, or down, as DirectX and Unreal do.
enum class Green { up, down };

// The unit normals by central differences. A component c is stored as the nearest to
// (c + 1) / 2 of the largest integer, halves upwards: what a texture unit reads back is 2 v - 1.
// Cell is Rgb8 or Rgb16.
template <class Cell>
Field2D<Cell> normals(core::Run &run, const Field2D<std::int32_t> &heights, double rise,
                      Boundary edges, Green green);

// Rise over run of the steepest way, by central differences.
Field2D<float> slopes(core::Run &run, const Field2D<std::int32_t> &heights, double rise,
                      Boundary edges);

// The angle of a slope in degrees, 0 to 90, by + - * / and the square root alone.
double slope_degrees(double rise_over_run);

// How much the ground falls away on all sides: half of minus the Laplacian, times a cell (9-point
// stencil of Mehrstellen type, the same along the axes and across). Crests are positive.
Field2D<float> curvature(core::Run &run, const Field2D<std::int32_t> &heights, double rise,
                         Boundary edges);

// Ambient occlusion: 65535 where nothing stands above the plane of the ground, less in hollows.
// Of each of 16 directions the steepest rise t above the plane that touches the ground counts,
// within `reach` cells (at least 1), as 1 / (1 + t^2): the share of the light of an even sky that
// comes from there (for a level plane exactly so). Ground that is far is read from a smoothed
// copy, so that no single peak throws a ray.
Field2D<std::uint16_t> ambient_occlusion(core::Run &run, const Field2D<std::int32_t> &heights,
                                         double rise, double reach, Boundary edges);

} // namespace karst::shape

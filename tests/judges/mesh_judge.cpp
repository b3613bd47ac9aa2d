// Judges triangle meshes with CGAL: mesh_judge FILE...   (OFF, OBJ, STL, PLY)
// One line a file, after the vertices with equal positions have become one:
//     FILE manifold=1 closed=1 borders=0 crossings=0 outward=1 volume=4.18 parts=1 euler=2
// manifold: every edge has at most two triangles, which agree in their orientation, and every
// vertex one fan. crossings: pairs of triangles that intersect. borders: closed chains of edges
// with one triangle. outward and volume are 0 for a mesh that is not closed. Exit status 2 for a
// file that cannot be read.
#include <array>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/IO/polygon_soup_io.h>
#include <CGAL/Polygon_mesh_processing/border.h>
#include <CGAL/Polygon_mesh_processing/connected_components.h>
#include <CGAL/Polygon_mesh_processing/measure.h>
#include <CGAL/Polygon_mesh_processing/orientation.h>
#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>

namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
using Mesh = CGAL::Surface_mesh<Point>;
using Polygon = std::vector<std::size_t>;
namespace pmp = CGAL::Polygon_mesh_processing;

bool judge(const std::string &file) {
    std::vector<Point> read_points, points;
    std::vector<Polygon> polygons;
    if (!CGAL::IO::read_polygon_soup(file, read_points, polygons)) {
        std::printf("%s cannot be read\n", file.c_str());
        return false;
    }
    std::map<Point, std::size_t> numbers;
    for (Polygon &polygon : polygons) {
        for (std::size_t &corner : polygon) {
            const auto [at, is_new] = numbers.emplace(read_points[corner], points.size());
            if (is_new) {
                points.push_back(read_points[corner]);
            }
            corner = at->second;
        }
    }
    const std::size_t unused = read_points.size() - points.size();
    if (!pmp::is_polygon_soup_a_polygon_mesh(polygons)) {
        std::printf("%s manifold=0 vertices=%zu merged=%zu\n", file.c_str(), points.size(), unused);
        return true;
    }
    Mesh mesh;
    pmp::polygon_soup_to_polygon_mesh(points, polygons, mesh);
    // Vertices with several fans were split.
    const bool manifold = mesh.number_of_vertices() == points.size();
    const bool closed = CGAL::is_closed(mesh);
    std::vector<Mesh::Halfedge_index> borders;
    pmp::extract_boundary_cycles(mesh, std::back_inserter(borders));
    std::vector<std::pair<Mesh::Face_index, Mesh::Face_index>> crossings;
    pmp::self_intersections(mesh, std::back_inserter(crossings));
    const auto parts = mesh.add_property_map<Mesh::Face_index, std::size_t>("f:part", 0).first;
    const std::size_t part_count = pmp::connected_components(mesh, parts);
    const auto euler = static_cast<long>(mesh.number_of_vertices()) -
                       static_cast<long>(mesh.number_of_edges()) +
                       static_cast<long>(mesh.number_of_faces());
    const double volume = closed ? CGAL::to_double(pmp::volume(mesh)) : 0;
    const bool outward = closed && !mesh.is_empty() && pmp::is_outward_oriented(mesh);
    std::printf("%s manifold=%d closed=%d borders=%zu crossings=%zu outward=%d volume=%.6g "
                "parts=%zu euler=%ld\n",
                file.c_str(), manifold, closed, borders.size(), crossings.size(), outward, volume,
                part_count, euler);
    return true;
}

} // namespace

int main(int argc, char **argv) {
    bool all_read = true;
    for (int i = 1; i < argc; ++i) {
        all_read = judge(argv[i]) && all_read;
    }
    return all_read ? 0 : 2;
}

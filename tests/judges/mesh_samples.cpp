// Writes sample meshes in every format into a folder, for programs of others to judge:
//     mesh_samples FOLDER
// counts.txt says what each file holds: its name, its vertices, its triangles.
#include <cstdio>
#include <fstream>
#include <string>

#include <karst/error.hpp>
#include <karst/io.hpp>

#include "tests/support/meshes.hpp"

using namespace karst;

namespace {

void write(const std::string &folder, const std::string &name, const MeshLayer &layer,
           std::ofstream &counts) {
    std::size_t vertices = 0;
    std::size_t triangles = 0;
    for (const auto &part : layer.parts) {
        vertices += part.mesh.positions.size();
        triangles += part.mesh.triangles();
    }
    const Artifact artifact = test_meshes::artifact_of(layer);
    for (const char *extension : {".glb", ".obj", ".ply", ".stl"}) {
        write_mesh(folder + "/" + name + extension, artifact, layer.name);
        counts << name << extension << " " << vertices << " " << triangles << "\n";
    }
}

} // namespace

int main(int argc, char **argv) try {
    const std::string folder = argc == 2 ? argv[1] : ".";
    std::ofstream counts(folder + "/counts.txt");
    write(folder, "ball", test_meshes::one_ball(24, 32), counts);
    write(folder, "parts", test_meshes::many_parts(60), counts);
    write(folder, "large", test_meshes::one_ball(256, 256), counts); // 32-bit indices
    return counts.flush() ? 0 : 2;
} catch (const Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}

// Says what judges must find in the meshes of caves: cave_expectations NAME...
// Of each cave it reads, in the current folder, NAME.npy (its open cells), NAME.graph.json and the
// manifests of NAME_shell.ply, NAME_caps.stl (the shell with caps) and NAME_solid.stl. It writes
// counts.txt, expected.txt and volumes.txt, for judge.sh and cgal.sh. Exit status 1 for a cave
// whose volume and level data disagree, 2 for files that cannot be read.
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include "shape/volume.hpp"
#include "tests/support/mesh_judgement.hpp"

using namespace karst;
using nlohmann::json;

namespace {

// Cells a face that the density's smoothing moves the surface in the mean: twice the most that was
// measured, 1/32, in a grotto. kAnySlack is what nothing can exceed.
constexpr double kSlack = 1.0 / 16;
static_assert(kSlack < mesh_test::kAnySlack);

std::ifstream opened(const std::string &name) {
    std::ifstream file(name, std::ios::binary);
    file.exceptions(std::ios::failbit | std::ios::badbit);
    return file;
}

// A file of unsigned bytes of NumPy's format 1.0: magic, the head's length in 2 bytes, the head.
Field3D<std::uint8_t> read_npy(const std::string &name) {
    auto file = opened(name);
    unsigned char start[10];
    file.read(reinterpret_cast<char *>(start), sizeof start);
    std::string head(start[8] + 256u * start[9], ' ');
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    long long depth = 0, height = 0, width = 0;
    const auto shape = head.find("'shape'");
    if (head.find("'descr': '|u1', 'fortran_order': False") == std::string::npos ||
        shape == std::string::npos ||
        std::sscanf(head.c_str() + shape, "'shape': (%lld, %lld, %lld)", &depth, &height, &width) !=
            3) {
        throw std::runtime_error(name + ": not a volume of bytes: " + head);
    }
    Field3D<std::uint8_t> open({width, height, depth});
    file.read(reinterpret_cast<char *>(open.cells().data()), open.size());
    return open;
}

class Expectations {
public:
    // Returns whether volume and level data agree.
    bool add(const std::string &cave) {
        const auto open = read_npy(cave + ".npy");
        const json graph = json::parse(opened(cave + ".graph.json"));
        const double cell = graph["size"][0].get<double>() / static_cast<double>(open.width());
        const auto mouths = static_cast<long>(graph["entrances"].size());
        mesh_test::Job job;
        const auto euler = euler_characteristic(job.run, open, shape::Adjacency::six);
        // The open cells within caps have one surface around all and one around each hanging rock.
        // Its Euler characteristic is twice theirs; an entrance takes a disc from it.
        const auto rocks = mesh_test::components(open, false, 0);
        expect(cave + "_shell.ply", mouths, rocks, 2 * euler - mouths);
        expect(cave + "_caps.stl", 0, rocks, 2 * euler);
        // The surface of the block, a sphere, loses a disc for each entrance, too, and both
        // surfaces are sewn together along these loops. Parts of the rock and of the air around and
        // in it touch as in a tree, whose edges are the parts of the surface.
        expect(cave + "_solid.stl", 0,
               mesh_test::components(open, true, 1) + mesh_test::components(open, false, 1) - 1,
               2 * euler + 2 - 2 * mouths);
        bound(cave + "_caps.stl", mesh_test::volume_range(open, 0, cell, kSlack));
        bound(cave + "_solid.stl", mesh_test::volume_range(open, 1, cell, kSlack));
        if (euler != mesh_test::euler_of_open(open) || mesh_test::components(open, true, -1) != 1) {
            std::fprintf(stderr, "%s: euler %lld, or not one open part\n", cave.c_str(),
                         static_cast<long long>(euler));
            return false;
        }
        return true;
    }
    bool whole() { return counts_.flush() && expected_.flush() && volumes_.flush(); }

private:
    void expect(const std::string &file, std::int64_t borders, std::int64_t parts,
                std::int64_t euler) {
        expected_ << file << " manifold=1 closed=" << (borders == 0) << " borders=" << borders
                  << " crossings=0 parts=" << parts << " euler=" << euler << "\n";
        const json part = json::parse(opened(file + ".karst.json"))["layer"]["parts"].at(0);
        counts_ << file << " " << part["vertices"] << " " << part["triangles"] << "\n";
    }
    void bound(const std::string &file, mesh_test::VolumeRange range) {
        volumes_ << file << " " << range.least << " " << range.most << "\n";
    }

    std::ofstream counts_{"counts.txt"};
    std::ofstream expected_{"expected.txt"};
    std::ofstream volumes_{"volumes.txt"};
};

} // namespace

int main(int argc, char **argv) try {
    Expectations expectations;
    bool agree = true;
    for (int i = 1; i < argc; ++i) {
        agree = expectations.add(argv[i]) && agree;
    }
    return expectations.whole() ? agree ? 0 : 1 : 2;
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}

// Writes surfaces as OFF files into a folder, for mesh_judge:  surface_samples FOLDER
// expected.txt holds what the judge must say of each, in its words, but for the volume, for which
// volumes.txt has a range.
#include <cstdio>
#include <fstream>
#include <string>

#include <karst/error.hpp>

#include "shape/contours.hpp"
#include "shape/surface.hpp"
#include "shape/volume.hpp"
#include "tests/support/mesh_judgement.hpp"

using namespace karst;
using namespace karst::shape;
using namespace mesh_test;

namespace {

class Samples {
public:
    explicit Samples(std::string folder)
        : folder_(std::move(folder)), expected_(folder_ + "/expected.txt"),
          volumes_(folder_ + "/volumes.txt") {}

    // The range is for the volume of a closed mesh.
    void write(const std::string &name, const Mesh &mesh, VolumeRange range) {
        std::ofstream file(folder_ + "/" + name + ".off");
        file.precision(9); // enough to read the same floats
        file << "OFF\n" << mesh.positions.size() << " " << mesh.triangles() << " 0\n";
        for (const Vec3 &p : mesh.positions) {
            file << p[0] << " " << p[1] << " " << p[2] << "\n";
        }
        for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
            file << "3 " << mesh.indices[i] << " " << mesh.indices[i + 1] << " "
                 << mesh.indices[i + 2] << "\n";
        }
        const Judgement verdict = judge(mesh);
        expected_ << name << ".off manifold=1 closed=" << (verdict.borders == 0)
                  << " borders=" << verdict.loops << " crossings=0 parts=" << verdict.parts
                  << " euler=" << verdict.euler << "\n";
        if (verdict.borders == 0) {
            volumes_ << name << ".off " << range.least << " " << range.most << "\n";
        }
        whole_ = whole_ && file.flush() && expected_.flush() && volumes_.flush();
    }
    bool whole() const { return whole_; }

private:
    std::string folder_;
    std::ofstream expected_;
    std::ofstream volumes_;
    bool whole_ = true;
};

} // namespace

int main(int argc, char **argv) try {
    Samples samples(argc == 2 ? argv[1] : ".");
    Job job;
    unsigned seed = 0;
    for (const int percent : {10, 30, 50, 70, 90}) {
        const auto open = soup({15, 13, 14}, percent / 100.0, ++seed);
        const VolumeRange rock = volume_range(open, 1, 0.7, kAnySlack);
        const VolumeRange air = volume_range(open, 0, 0.7, kAnySlack);
        for (const int passes : {0, 1, 4}) {
            const auto density = smooth_density(job.run, open, 1, passes);
            const std::string name = std::to_string(percent) + "_" + std::to_string(passes);
            const auto write = [&](const char *kind, Outside outside, VolumeRange range) {
                samples.write(kind + name, extract_surface(job.run, density, 0.7, outside), range);
            };
            write("solid_", Outside::open, rock);
            write("caps_", Outside::rock, air);
            write("shell_", Outside::cut, air);
        }
        // Any densities, so that vertices lie anywhere.
        Field3D<std::uint16_t> rough({12, 12, 12});
        std::mt19937 draw(seed);
        for (auto &cell : rough.cells()) {
            cell = static_cast<std::uint16_t>(draw() >> 16);
        }
        Field3D<std::uint8_t> rough_open(rough.extent());
        std::transform(rough.cells().begin(), rough.cells().end(), rough_open.cells().begin(),
                       [](std::uint16_t cell) { return cell >= kOpen ? 1 : 0; });
        samples.write("rough_" + std::to_string(percent),
                      extract_surface(job.run, rough, 3, Outside::open),
                      volume_range(rough_open, 1, 3, kAnySlack));
        Field2D<std::uint8_t> map({30, 30});
        for (auto &cell : map.cells()) {
            cell = draw() % 100 < static_cast<unsigned>(percent) ? 1 : 0;
        }
        samples.write("walls_" + std::to_string(percent),
                      extruded_walls(job.run, map, 1, 3, true, true), {-30 * 30 * 3, 0});
    }
    return samples.whole() ? 0 : 2;
} catch (const Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}

#include "generators/registry.hpp"

#include <utility>

#include <karst/error.hpp>

#include "core/joined.hpp"
#include "core/run.hpp"
#include "shape/lod.hpp"

namespace karst {

// Each is defined in the file of its name.
GeneratorInfo cave_generator();
GeneratorInfo heightmap_generator();
GeneratorInfo physarum_generator();
GeneratorInfo physarum3_generator(); // in physarum.cpp
GeneratorInfo crack_generator();
GeneratorInfo cave_volume_generator();

std::span<const GeneratorInfo> all_generators() {
    // Append only: the order is the order of the C API.
    static const std::vector<GeneratorInfo> list{
        physarum_generator(),  crack_generator(),     cave_generator(),
        heightmap_generator(), physarum3_generator(), cave_volume_generator(),
    };
    return list;
}

void cut_for_short_indices(Artifact &artifact, const Options &options) {
    Options own = options;
    own.progress = {}; // the job that made the meshes told all of it
    core::Run run(own);
    for (MeshLayer &mesh : artifact.meshes) {
        std::vector<MeshPart> parts;
        for (const MeshPart &part : mesh.parts) {
            for (MeshPart &piece : shape::for_short_indices(run, part)) {
                parts.push_back(std::move(piece));
            }
        }
        mesh.parts = std::move(parts);
    }
}

const GeneratorInfo &find_generator(std::string_view name) {
    for (const auto &generator : all_generators()) {
        if (generator.name == name) {
            return generator;
        }
    }
    throw Error(ErrorCode::invalid_argument,
                "there is no generator '" + std::string(name) + "'; allowed is one of " +
                    core::joined(all_generators(), &GeneratorInfo::name));
}

} // namespace karst

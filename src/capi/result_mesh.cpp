// Meshes of a result.
#include "capi/handles.hpp"
#include "capi/result.hpp"

namespace karst::capi {

namespace {

const MeshLayer &mesh_at(const Result &result, std::uint32_t index) {
    require_index(index, result.artifact.meshes.size(), "mesh");
    return result.artifact.meshes[index];
}

const MeshPart &part_at(const Result &result, std::uint32_t mesh, std::uint32_t part) {
    const MeshLayer &layer = mesh_at(result, mesh);
    require_index(part, layer.parts.size(), "part");
    return layer.parts[part];
}

void require_room(const char *what, std::uint64_t needed, std::uint64_t capacity) {
    if (capacity < needed) {
        throw CallError(KARST_BUFFER_TOO_SMALL, std::string("the part has ") +
                                                    std::to_string(needed) + " " + what +
                                                    ", capacity is " + std::to_string(capacity));
    }
}

// An attribute of the vertices and where it goes.
template <class Vec>
struct Attribute {
    const char *name;
    const std::vector<Vec> &values;
    float *target;
    std::size_t vertices; // of the part

    void check(std::uint32_t stride) const {
        if (target == nullptr) {
            return;
        }
        if (values.size() != vertices) {
            refuse(std::string("the part has no ") + name + "; allowed is null");
        }
        if (stride != 0 && (stride < sizeof(Vec) || stride % alignof(float) != 0)) {
            refuse("stride is " + std::to_string(stride) + "; allowed for " + name +
                   " is 0, and a multiple of 4 of at least " + std::to_string(sizeof(Vec)) +
                   " bytes");
        }
    }

    void copy(std::uint32_t stride) const {
        if (target == nullptr) {
            return;
        }
        auto *to = reinterpret_cast<std::byte *>(target);
        for (const Vec &value : values) {
            std::memcpy(to, value.data(), sizeof(Vec));
            to += stride == 0 ? sizeof(Vec) : stride;
        }
    }
};

} // namespace

} // namespace karst::capi

using namespace karst;
using namespace karst::capi;

karst_status karst_result_mesh_at(const karst_result *result, uint32_t index, karst_mesh *mesh) {
    return guarded([&] {
        const auto its = results().get(result);
        const MeshLayer &layer = mesh_at(*its, index);
        karst_mesh described{};
        described.part_count = static_cast<std::uint32_t>(layer.parts.size());
        described.socket_count = static_cast<std::uint32_t>(layer.sockets.size());
        described.name = layer.name.c_str();
        fill(mesh, described, "mesh");
    });
}

karst_status karst_result_find_mesh(const karst_result *result, const char *name, uint32_t *index) {
    return guarded([&] {
        const auto its = results().get(result);
        require(name, "name", "a mesh's name");
        require(index, "index", "a number to fill");
        *index =
            static_cast<std::uint32_t>(&its->artifact.mesh(name) - its->artifact.meshes.data());
    });
}

karst_status karst_result_part_at(const karst_result *result, uint32_t mesh, uint32_t part,
                                  karst_mesh_part *info) {
    return guarded([&] {
        const auto its = results().get(result);
        const MeshPart &found = part_at(*its, mesh, part);
        karst_mesh_part described{};
        described.has_normals = found.mesh.normals.empty() ? 0 : 1;
        described.has_uvs = found.mesh.uvs.empty() ? 0 : 1;
        described.has_tangents = found.mesh.tangents.empty() ? 0 : 1;
        described.vertex_count = found.mesh.positions.size();
        described.index_count = found.mesh.indices.size();
        described.name = found.name.c_str();
        std::copy(found.pivot.begin(), found.pivot.end(), described.pivot);
        described.digest = its->digest_of(found.mesh);
        fill(info, described, "info");
    });
}

karst_status karst_result_copy_part(const karst_result *result, uint32_t mesh, uint32_t part,
                                    const karst_mesh_buffers *buffers) {
    return guarded([&] {
        const auto its = results().get(result);
        const Mesh &from = part_at(*its, mesh, part).mesh;
        const karst_mesh_buffers to = read(buffers, "buffers");
        const auto with_attributes = [&](auto &&f) {
            f(Attribute<Vec3>{"positions", from.positions, to.positions, from.positions.size()});
            f(Attribute<Vec3>{"normals", from.normals, to.normals, from.positions.size()});
            f(Attribute<Vec2>{"uvs", from.uvs, to.uvs, from.positions.size()});
            f(Attribute<Vec4>{"tangents", from.tangents, to.tangents, from.positions.size()});
        };
        with_attributes([&](const auto &attribute) { attribute.check(to.stride); });
        if (to.positions != nullptr || to.normals != nullptr || to.uvs != nullptr ||
            to.tangents != nullptr) {
            require_room("vertices", from.positions.size(), to.vertex_capacity);
        }
        if (to.indices != nullptr) {
            require_room("indices", from.indices.size(), to.index_capacity);
        }
        with_attributes([&](const auto &attribute) { attribute.copy(to.stride); });
        if (to.indices != nullptr) {
            std::copy(from.indices.begin(), from.indices.end(), to.indices);
        }
    });
}

karst_status karst_result_socket_at(const karst_result *result, uint32_t mesh, uint32_t socket,
                                    karst_socket *info) {
    return guarded([&] {
        const auto its = results().get(result);
        const MeshLayer &layer = mesh_at(*its, mesh);
        require_index(socket, layer.sockets.size(), "socket");
        const Socket &found = layer.sockets[socket];
        karst_socket described{};
        std::copy(found.position.begin(), found.position.end(), described.position);
        std::copy(found.forward.begin(), found.forward.end(), described.forward);
        described.name = found.name.c_str();
        fill(info, described, "info");
    });
}

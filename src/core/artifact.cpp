#include <karst/artifact.hpp>

#include "core/digest.hpp"
#include "core/joined.hpp"

namespace karst {

namespace {

template <class T>
const T &named(const std::vector<T> &all, std::string_view name, const std::string &what) {
    for (const T &candidate : all) {
        if (candidate.name == name) {
            return candidate;
        }
    }
    const std::string list = core::joined(all, &T::name);
    throw Error(ErrorCode::invalid_argument, "there is no " + what + " '" + std::string(name) +
                                                 "'; there is " + (list.empty() ? "none" : list));
}

template <class T>
inline constexpr int kChannels = 1;
template <class T, std::size_t count>
inline constexpr int kChannels<std::array<T, count>> = static_cast<int>(count);

template <class T>
std::uint64_t digest_of(const std::vector<T> &values) {
    return core::xxh3(values.data(), values.size() * sizeof(T));
}

} // namespace

const Layer &Artifact::layer(std::string_view name) const {
    return named(layers, name, "layer");
}

const MeshLayer &Artifact::mesh(std::string_view name) const {
    return named(meshes, name, "mesh");
}

const Document &Artifact::document(std::string_view name) const {
    return named(documents, name, "document");
}

std::uint64_t digest(const Mesh &mesh) {
    const std::uint64_t arrays[] = {digest_of(mesh.positions), digest_of(mesh.normals),
                                    digest_of(mesh.uvs), digest_of(mesh.tangents),
                                    digest_of(mesh.indices)};
    return core::digest_rows(arrays);
}

std::uint64_t digest(const Document &document) {
    return core::xxh3(document.text.data(), document.text.size());
}

bool is_volume(const LayerData &data) {
    return std::visit(
        [](const auto &field) {
            return std::is_same_v<std::decay_t<decltype(field.extent())>, Extent3>;
        },
        data);
}

Extent3 extent(const LayerData &data) {
    return std::visit(
        [](const auto &field) -> Extent3 {
            if constexpr (requires { field.depth(); }) {
                return field.extent();
            } else {
                return {field.width(), field.height(), 1};
            }
        },
        data);
}

int channels(const LayerData &data) {
    return std::visit(
        [](const auto &field) {
            return kChannels<typename std::decay_t<decltype(field)>::value_type>;
        },
        data);
}

int bits(const LayerData &data) {
    return std::visit(
        [](const auto &field) {
            using Value = typename std::decay_t<decltype(field)>::value_type;
            return static_cast<int>(sizeof(Value)) / kChannels<Value> * 8;
        },
        data);
}

std::uint64_t digest(const LayerData &data) {
    return std::visit([](const auto &field) { return core::digest(field); }, data);
}

} // namespace karst

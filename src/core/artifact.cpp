#include <karst/artifact.hpp>

#include "core/digest.hpp"

namespace karst {

const Layer &Artifact::layer(std::string_view name) const {
    std::string list;
    for (const auto &candidate : layers) {
        if (candidate.name == name) {
            return candidate;
        }
        list += (list.empty() ? "" : ", ") + candidate.name;
    }
    throw Error(ErrorCode::invalid_argument,
                "there is no layer '" + std::string(name) + "'; " + generator + " has " + list);
}

Extent2 extent(const LayerData &data) {
    return std::visit([](const auto &field) { return field.extent(); }, data);
}

int bits(const LayerData &data) {
    return std::visit(
        [](const auto &field) {
            return static_cast<int>(sizeof(typename std::decay_t<decltype(field)>::value_type) * 8);
        },
        data);
}

std::uint64_t digest(const LayerData &data) {
    return std::visit([](const auto &field) { return core::digest(field); }, data);
}

} // namespace karst

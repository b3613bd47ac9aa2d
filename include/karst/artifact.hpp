// What a generator gives: named layers of one extent, meshes and texts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <karst/error.hpp>
#include <karst/field.hpp>
#include <karst/mesh.hpp>

namespace karst {

// Cells of several channels: red, green, blue, alpha.
using Rgb8 = std::array<std::uint8_t, 3>;
using Rgb16 = std::array<std::uint16_t, 3>;
using Rgba8 = std::array<std::uint8_t, 4>;

using LayerData =
    std::variant<Field2D<std::uint8_t>, Field2D<std::uint16_t>, Field2D<std::uint32_t>,
                 Field3D<std::uint8_t>, Field3D<std::uint16_t>, Field3D<std::uint32_t>,
                 Field2D<Rgb8>, Field2D<Rgb16>, Field2D<Rgba8>>;

enum class LayerKind {
    map,      // Artifact::layers, two dimensions
    volume,   // Artifact::layers, three dimensions
    mesh,     // Artifact::meshes
    document, // Artifact::documents, JSON
    drawing,  // Artifact::documents, SVG
};

enum class LayerMeaning {
    mask,   // 0 or 255
    amount, // value * scale + offset is a length, a slope, a component of a vector, a weight
    id,     // equal values belong together; the numbers carry no order
    colour, // 32 bits: 0x00RRGGBB, for people to look at
};

struct Layer {
    std::string name;
    LayerMeaning meaning = LayerMeaning::amount;
    std::string unit;  // of an amount, "m" for lengths
    double scale = 1;  // metres (or units) of one step of the stored integer
    double offset = 0; // metres (or units) of the stored 0
    LayerData data;
};

// A layer that is text: JSON with its keys in a fixed order, or SVG; one line feed at the end.
struct Document {
    std::string name;
    std::string text;
};

struct Artifact {
    std::string generator;
    std::optional<std::uint64_t> seed; // nothing: the job used none
    std::string recipe;                // "cliffs.json: alps" of an asset of a recipe; empty: none
    double cell = 1;                   // metres a cell
    std::vector<Layer> layers;
    std::vector<MeshLayer> meshes;
    std::vector<Document> documents;
    std::vector<std::pair<std::string, double>> measures; // "open share", "plates", ...

    // Throw Error(invalid_argument) that lists what there is of that kind.
    KARST_API const Layer &layer(std::string_view name) const;
    KARST_API const MeshLayer &mesh(std::string_view name) const;
    KARST_API const Document &document(std::string_view name) const;
};

// Extent of the data (depth 1 of a map), channels a cell, bits a channel, and the digest of
// docs/determinism.md: XXH3-64 of each row in little-endian bytes, then of the row digests.
KARST_API bool is_volume(const LayerData &data);
KARST_API Extent3 extent(const LayerData &data);
KARST_API int channels(const LayerData &data);
KARST_API int bits(const LayerData &data);
KARST_API std::uint64_t digest(const LayerData &data);
// XXH3-64 of the text.
KARST_API std::uint64_t digest(const Document &document);

} // namespace karst

#include "capi/result.hpp"

#include <cmath>

#include <karst/error.hpp>
#include <karst/io.hpp>

#include "capi/handles.hpp"

namespace karst::capi {

namespace {

int32_t meaning_of(LayerMeaning meaning) {
    switch (meaning) {
    case LayerMeaning::mask:
        return KARST_MASK;
    case LayerMeaning::amount:
        return KARST_AMOUNT;
    case LayerMeaning::id:
        return KARST_ID;
    case LayerMeaning::colour:
        return KARST_COLOUR;
    }
    return KARST_AMOUNT;
}

std::span<const std::byte> bytes_of(const LayerData &data) {
    return std::visit([](const auto &field) { return std::as_bytes(field.cells()); }, data);
}

const Layer &layer_at(const Result &result, std::uint32_t index) {
    require_index(index, result.artifact.layers.size(), "layer");
    return result.artifact.layers[index];
}

// The rows of all planes, of `row` bytes each.
struct Rows {
    std::size_t count, row;
};
Rows rows_of(const Layer &layer) {
    const Extent3 its = extent(layer.data);
    const auto count = static_cast<std::size_t>(its.height * its.depth);
    return {count, count == 0 ? 0 : bytes_of(layer.data).size() / count};
}

karst_layer describe(Result &result, const Layer &layer) {
    const Extent3 its = extent(layer.data);
    karst_layer described{};
    described.kind = is_volume(layer.data) ? KARST_VOLUME : KARST_MAP;
    described.meaning = meaning_of(layer.meaning);
    described.channels = static_cast<std::uint32_t>(channels(layer.data));
    described.bits = static_cast<std::uint32_t>(bits(layer.data));
    described.width = its.width;
    described.height = its.height;
    described.depth = its.depth;
    described.scale = layer.scale;
    described.offset = layer.offset;
    described.name = layer.name.c_str();
    described.unit = layer.unit.c_str();
    described.size = bytes_of(layer.data).size();
    described.cells = bytes_of(layer.data).data();
    described.digest = result.digest_of(layer.data);
    return described;
}

// Bytes from the first to behind the last of `count` pieces of `size` bytes, `step` apart; more
// than any buffer has if that is no number.
std::size_t reach(std::size_t count, std::size_t step, std::size_t size) {
    if (count == 0) {
        return 0;
    }
    if (step != 0 && count - 1 > (SIZE_MAX - size) / step) {
        return SIZE_MAX;
    }
    return (count - 1) * step + size;
}

} // namespace

} // namespace karst::capi

using namespace karst;
using namespace karst::capi;

karst_status karst_result_destroy(karst_result *result) {
    return guarded([&] { results().remove(result); });
}

karst_status karst_result_get_info(const karst_result *result, karst_result_info *info) {
    return guarded([&] {
        const auto its = results().get(result);
        const auto count = [](const auto &list) { return static_cast<std::uint32_t>(list.size()); };
        karst_result_info described{};
        described.layer_count = count(its->artifact.layers);
        described.mesh_count = count(its->artifact.meshes);
        described.document_count = count(its->artifact.documents);
        described.measure_count = count(its->artifact.measures);
        described.note_count = count(its->notes);
        described.cell = its->artifact.cell;
        fill(info, described, "info");
    });
}

karst_status karst_result_layer_at(const karst_result *result, uint32_t index, karst_layer *layer) {
    return guarded([&] {
        const auto its = results().get(result);
        fill(layer, describe(*its, layer_at(*its, index)), "layer");
    });
}

karst_status karst_result_find_layer(const karst_result *result, const char *name,
                                     uint32_t *index) {
    return guarded([&] {
        const auto its = results().get(result);
        require(name, "name", "a layer's name");
        require(index, "index", "a number to fill");
        *index =
            static_cast<std::uint32_t>(&its->artifact.layer(name) - its->artifact.layers.data());
    });
}

karst_status karst_result_copy_layer(const karst_result *result, uint32_t index, void *cells,
                                     size_t capacity, size_t row) {
    return guarded([&] {
        const auto its = results().get(result);
        const Layer &layer = layer_at(*its, index);
        require(cells, "cells", "memory of capacity bytes");
        const Rows rows = rows_of(layer);
        const std::size_t step = row == 0 ? rows.row : row;
        if (step < rows.row) {
            refuse("row is " + std::to_string(row) + "; allowed is 0, and " +
                   std::to_string(rows.row) + " or more");
        }
        const std::size_t needed = reach(rows.count, step, rows.row);
        if (capacity < needed) {
            throw CallError(KARST_BUFFER_TOO_SMALL,
                            "layer '" + layer.name + "' takes " + std::to_string(needed) +
                                " bytes, capacity is " + std::to_string(capacity));
        }
        const auto *const from = bytes_of(layer.data).data();
        for (std::size_t y = 0; y < rows.count; ++y) {
            std::memcpy(static_cast<std::byte *>(cells) + y * step, from + y * rows.row, rows.row);
        }
    });
}

karst_status karst_result_copy_amounts(const karst_result *result, uint32_t index, float *values,
                                       size_t capacity, size_t stride) {
    return guarded([&] {
        const auto its = results().get(result);
        const Layer &layer = layer_at(*its, index);
        require(values, "values", "memory of capacity numbers");
        if (channels(layer.data) != 1) {
            refuse("layer '" + layer.name + "' has " + std::to_string(channels(layer.data)) +
                   " channels; allowed is a layer of 1");
        }
        const std::size_t step = stride == 0 ? sizeof(float) : stride;
        if (step < sizeof(float) || step % alignof(float) != 0) {
            refuse("stride is " + std::to_string(stride) + "; allowed is a multiple of 4 bytes");
        }
        const auto count = static_cast<std::size_t>(extent(layer.data).cells());
        if (reach(count, step, sizeof(float)) > PTRDIFF_MAX) {
            refuse("stride is " + std::to_string(stride) +
                   "; allowed is what memory has room for, times " + std::to_string(count));
        }
        if (capacity < count) {
            throw CallError(KARST_BUFFER_TOO_SMALL,
                            "layer '" + layer.name + "' has " + std::to_string(count) +
                                " cells, capacity is " + std::to_string(capacity));
        }
        std::visit(
            [&](const auto &field) {
                using Cell = typename std::remove_cvref_t<decltype(field)>::value_type;
                if constexpr (std::is_integral_v<Cell>) {
                    auto *to = reinterpret_cast<std::byte *>(values);
                    for (const Cell cell : field.cells()) {
                        const auto amount = static_cast<float>(cell * layer.scale + layer.offset);
                        std::memcpy(to, &amount, sizeof amount);
                        to += step;
                    }
                }
            },
            layer.data);
    });
}

karst_status karst_result_document_at(const karst_result *result, uint32_t index,
                                      karst_document *document) {
    return guarded([&] {
        const auto its = results().get(result);
        require_index(index, its->artifact.documents.size(), "document");
        const Document &found = its->artifact.documents[index];
        karst_document described{};
        described.name = found.name.c_str();
        described.text = found.text.c_str();
        described.length = found.text.size();
        described.digest = its->digest_of(found);
        fill(document, described, "document");
    });
}

karst_status karst_result_find_document(const karst_result *result, const char *name,
                                        uint32_t *index) {
    return guarded([&] {
        const auto its = results().get(result);
        require(name, "name", "a document's name");
        require(index, "index", "a number to fill");
        *index = static_cast<std::uint32_t>(&its->artifact.document(name) -
                                            its->artifact.documents.data());
    });
}

karst_status karst_result_measure_at(const karst_result *result, uint32_t index,
                                     karst_measure *measure) {
    return guarded([&] {
        const auto its = results().get(result);
        require_index(index, its->artifact.measures.size(), "measure");
        karst_measure described{};
        described.name = its->artifact.measures[index].first.c_str();
        described.value = its->artifact.measures[index].second;
        fill(measure, described, "measure");
    });
}

karst_status karst_result_note_at(const karst_result *result, uint32_t index, const char **note) {
    return guarded([&] {
        const auto its = results().get(result);
        require_index(index, its->notes.size(), "note");
        require(note, "note", "a text to fill");
        *note = its->notes[index].c_str();
    });
}

karst_status karst_result_write(const karst_result *result, const char *layer, const char *path) {
    return guarded([&] {
        const auto its = results().get(result);
        require(layer, "layer", "a layer's name");
        require(path, "path", "a file's path");
        if (std::string_view(path) == "-") {
            refuse("path is '-'; allowed is a file");
        }
        const Artifact &artifact = its->artifact;
        const auto has = [layer](const auto &list) {
            return std::any_of(list.begin(), list.end(),
                               [layer](const auto &known) { return known.name == layer; });
        };
        if (has(artifact.meshes)) {
            write_mesh(path, artifact, layer);
        } else if (has(artifact.documents)) {
            write_document(path, artifact, layer);
        } else {
            write_layer(path, artifact, layer);
        }
    });
}

// The format: https://github.com/ephtracy/voxel-model, files MagicaVoxel-file-format-vox.txt and
// -extension.txt. A chunk is its name, the bytes of its content, the bytes of its children, both.
#include "io/vox.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "io/mesh_file.hpp"

namespace karst::io {

namespace {

constexpr std::int64_t kLargestModel = 256; // voxels a side

using Cells = Field3D<std::uint8_t>;

// A box of cells that becomes one model; `low` is its corner in .vox axes.
struct Model {
    Cell3 low;
    Cell3 size;
    std::uint32_t voxels = 0;
};

// f(x, y, z, value) for the cells of the model that are not 0; x, y, z in the model.
template <class F>
void for_voxels(const Cells &cells, const Model &model, F &&f) {
    for (std::int32_t z = 0; z < model.size.z; ++z) {
        for (std::int32_t y = 0; y < model.size.y; ++y) {
            const auto row = cells.row(cells.height() - 1 - (model.low.y + y), model.low.z + z);
            for (std::int32_t x = 0; x < model.size.x; ++x) {
                if (const auto value = row[static_cast<std::size_t>(model.low.x + x)]) {
                    f(x, y, z, value);
                }
            }
        }
    }
}

// Those with voxels, and one even if there are none.
std::vector<Model> models_of(const Cells &cells) {
    const Extent3 size = cells.extent();
    const auto part = [](std::int64_t whole, std::int64_t from) {
        return static_cast<std::int32_t>(std::min(kLargestModel, whole - from));
    };
    std::vector<Model> models;
    for (std::int64_t z = 0; z < size.depth; z += kLargestModel) {
        for (std::int64_t y = 0; y < size.height; y += kLargestModel) {
            for (std::int64_t x = 0; x < size.width; x += kLargestModel) {
                Model model{{static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
                             static_cast<std::int32_t>(z)},
                            {part(size.width, x), part(size.height, y), part(size.depth, z)},
                            0};
                for_voxels(cells, model, [&model](auto, auto, auto, auto) { ++model.voxels; });
                if (model.voxels > 0) {
                    models.push_back(model);
                }
            }
        }
    }
    if (models.empty()) {
        models.push_back({{}, {part(size.width, 0), part(size.height, 0), part(size.depth, 0)}, 0});
    }
    return models;
}

// The content of one chunk, built in memory.
class Content {
public:
    Content &number(std::int64_t value) {
        const auto bytes = static_cast<std::int32_t>(value);
        data_.append(reinterpret_cast<const char *>(&bytes), sizeof bytes);
        return *this;
    }
    Content &text(const std::string &text) {
        number(static_cast<std::int64_t>(text.size()));
        data_ += text;
        return *this;
    }
    std::string chunk(std::string_view name) const {
        Content head;
        head.data_ = name;
        head.number(static_cast<std::int64_t>(data_.size())).number(0);
        return head.data_ + data_;
    }

private:
    std::string data_;
};

// nTRN: a node that moves its child. Node 0 is the root, it holds group 1, which holds a mover and
// a shape for each model.
std::string mover(std::int64_t node, std::int64_t child, std::int64_t layer,
                  const std::string &translation) {
    Content content;
    content.number(node).number(0).number(child).number(-1).number(layer).number(1);
    if (translation.empty()) {
        content.number(0);
    } else {
        content.number(1).text("_t").text(translation);
    }
    return content.chunk("nTRN");
}

std::string scene_of(const std::vector<Model> &models, Extent3 whole) {
    if (models.size() == 1) {
        return {}; // readers put a single model at the origin
    }
    const auto count = static_cast<std::int64_t>(models.size());
    std::string scene = mover(0, 1, -1, "");
    Content group;
    group.number(1).number(0).number(count);
    for (std::int64_t i = 0; i < count; ++i) {
        group.number(2 + 2 * i);
    }
    scene += group.chunk("nGRP");
    for (std::int64_t i = 0; i < count; ++i) {
        const Model &model = models[static_cast<std::size_t>(i)];
        // A model is placed by its middle voxel; the whole stands in the middle of the ground.
        const std::string place =
            std::to_string(model.low.x + model.size.x / 2 - whole.width / 2) + " " +
            std::to_string(model.low.y + model.size.y / 2 - whole.height / 2) + " " +
            std::to_string(model.low.z + model.size.z / 2);
        scene += mover(2 + 2 * i, 3 + 2 * i, 0, place);
        Content shape;
        shape.number(3 + 2 * i).number(0).number(1).number(i).number(0);
        scene += shape.chunk("nSHP");
    }
    return scene;
}

// Colour i is grey i; the file holds colours 1 to 255 and an unused one.
std::string palette() {
    std::string colours;
    for (int i = 1; i <= 256; ++i) {
        const char grey = static_cast<char>(std::min(i, 255));
        colours += {grey, grey, grey, static_cast<char>(0xff)};
    }
    return colours;
}

void write_head(ByteSink &sink, std::string_view name, std::uint64_t content,
                std::uint64_t children) {
    sink.text(name);
    sink.value(static_cast<std::uint32_t>(content));
    sink.value(static_cast<std::uint32_t>(children));
}

} // namespace

void write_vox(OutputFile &file, const Artifact &, const Layer &layer) {
    const Cells &cells = std::get<Cells>(layer.data);
    const auto models = models_of(cells);
    const std::string scene = scene_of(models, cells.extent());
    const std::string colours = palette();
    constexpr std::uint64_t kHead = 12;
    std::uint64_t children = scene.size() + kHead + colours.size();
    for (const auto &model : models) {
        children += kHead + 12 + kHead + 4 + std::uint64_t{4} * model.voxels;
    }
    require_at_most(file.path(), children, "bytes", std::numeric_limits<std::int32_t>::max());

    ByteSink sink(file);
    sink.text("VOX ");
    sink.value(std::int32_t{150}); // the version
    write_head(sink, "MAIN", 0, children);
    for (const auto &model : models) {
        write_head(sink, "SIZE", 12, 0);
        sink.value(model.size);
        write_head(sink, "XYZI", 4 + std::uint64_t{4} * model.voxels, 0);
        sink.value(model.voxels);
        for_voxels(cells, model, [&sink](auto x, auto y, auto z, std::uint8_t value) {
            sink.value(std::array{static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y),
                                  static_cast<std::uint8_t>(z), value});
        });
    }
    sink.text(scene);
    write_head(sink, "RGBA", colours.size(), 0);
    sink.text(colours);
    sink.flush();
}

} // namespace karst::io

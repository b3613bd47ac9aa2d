// What karst can make, as the C interface shows it.
#include <karst/device.hpp>

#include "capi/call.hpp"
#include "generators/registry.hpp"

namespace karst::capi {

namespace {

const GeneratorInfo &generator_at(std::uint32_t index) {
    require_index(index, all_generators().size(), "generator");
    return all_generators()[index];
}

const ParamInfo &param_at(std::uint32_t generator, std::uint32_t param) {
    const auto params = generator_at(generator).params;
    require_index(param, params.size(), "param");
    return params[param];
}

std::uint32_t count_of(const auto &list) {
    return static_cast<std::uint32_t>(list.size());
}

karst_param describe(const ParamInfo &info) {
    karst_param param{};
    switch (info.type) {
    case ParamType::boolean:
        param.type = KARST_BOOLEAN;
        param.default_boolean = std::get<bool>(info.default_value) ? 1 : 0;
        break;
    case ParamType::integer:
        param.type = KARST_INTEGER;
        param.default_number = static_cast<double>(std::get<std::int64_t>(info.default_value));
        break;
    case ParamType::real:
        param.type = KARST_REAL;
        param.default_number = std::get<double>(info.default_value);
        break;
    case ParamType::choice:
        param.type = KARST_CHOICE;
        break;
    case ParamType::text:
        param.type = KARST_TEXT;
        break;
    }
    const auto *const text = std::get_if<std::string>(&info.default_value);
    param.default_text = text == nullptr ? "" : text->c_str();
    param.choice_count = count_of(info.choices);
    param.name = info.name.c_str();
    param.help = info.help.c_str();
    param.unit = info.unit.c_str();
    param.minimum = info.minimum;
    param.maximum = info.maximum;
    return param;
}

int32_t kind_of(LayerKind kind) {
    switch (kind) {
    case LayerKind::map:
        return KARST_MAP;
    case LayerKind::volume:
        return KARST_VOLUME;
    case LayerKind::mesh:
        return KARST_MESH;
    case LayerKind::document:
        return KARST_DOCUMENT;
    case LayerKind::drawing:
        return KARST_DRAWING;
    }
    return KARST_MAP;
}

} // namespace

} // namespace karst::capi

using namespace karst;
using namespace karst::capi;

karst_status karst_device_count(uint32_t *count) {
    return guarded([&] {
        require(count, "count", "a number to fill");
        *count = count_of(available_devices());
    });
}

karst_status karst_device_at(uint32_t index, karst_device *device) {
    return guarded([&] {
        const std::vector<DeviceInfo> devices = available_devices();
        require_index(index, devices.size(), "device");
        const DeviceInfo &info = devices[index];
        karst_device its{};
        its.kind = info.device.kind == DeviceKind::cuda ? KARST_DEVICE_CUDA : KARST_DEVICE_CPU;
        its.ordinal = info.device.ordinal;
        its.memory = info.memory_bytes;
        copy_text(its.name, info.name);
        fill(device, its, "device");
    });
}

karst_status karst_generator_count(uint32_t *count) {
    return guarded([&] {
        require(count, "count", "a number to fill");
        *count = count_of(all_generators());
    });
}

karst_status karst_generator_at(uint32_t generator, karst_generator *info) {
    return guarded([&] {
        const GeneratorInfo &its = generator_at(generator);
        karst_generator described{};
        described.param_count = count_of(its.params);
        described.preset_count = count_of(its.presets);
        described.layer_count = count_of(its.layers);
        described.map_count = count_of(its.controls);
        described.takes_shape = its.takes_shape ? 1 : 0;
        described.name = its.name.c_str();
        described.help = its.help.c_str();
        described.width = its.default_extent.width;
        described.height = its.default_extent.height;
        described.depth = its.default_depth;
        described.cell = its.default_cell;
        fill(info, described, "info");
    });
}

karst_status karst_find_generator(const char *name, uint32_t *generator) {
    return guarded([&] {
        require(name, "name", "a generator's name");
        require(generator, "generator", "a number to fill");
        *generator = static_cast<std::uint32_t>(&find_generator(name) - all_generators().data());
    });
}

karst_status karst_param_at(uint32_t generator, uint32_t param, karst_param *info) {
    return guarded([&] { fill(info, describe(param_at(generator, param)), "info"); });
}

karst_status karst_choice_at(uint32_t generator, uint32_t param, uint32_t choice,
                             const char **name) {
    return guarded([&] {
        const auto &choices = param_at(generator, param).choices;
        require_index(choice, choices.size(), "choice");
        require(name, "name", "a text to fill");
        *name = choices[choice].c_str();
    });
}

karst_status karst_preset_at(uint32_t generator, uint32_t preset, karst_preset *info) {
    return guarded([&] {
        const auto &presets = generator_at(generator).presets;
        require_index(preset, presets.size(), "preset");
        karst_preset its{};
        its.name = presets[preset].name.c_str();
        its.help = presets[preset].help.c_str();
        fill(info, its, "info");
    });
}

karst_status karst_layer_at(uint32_t generator, uint32_t layer, karst_layer_kind *info) {
    return guarded([&] {
        const auto &layers = generator_at(generator).layers;
        require_index(layer, layers.size(), "layer");
        const LayerInfo &its = layers[layer];
        karst_layer_kind described{};
        described.kind = kind_of(its.kind);
        described.on_request = its.on_request ? 1 : 0;
        described.name = its.name.c_str();
        described.help = its.help.c_str();
        described.param = its.parameter.c_str();
        fill(info, described, "info");
    });
}

karst_status karst_map_at(uint32_t generator, uint32_t map, const char **name) {
    return guarded([&] {
        const auto &maps = generator_at(generator).controls;
        require_index(map, maps.size(), "map");
        require(name, "name", "a text to fill");
        *name = maps[map].c_str();
    });
}

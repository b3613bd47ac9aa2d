#include "capi/request.hpp"

#include <cmath>

#include <karst/error.hpp>
#include <karst/seed.hpp>

#include "capi/handles.hpp"
#include "core/joined.hpp"

namespace karst::capi {

namespace {

Job first_job(const GeneratorInfo &generator) {
    Job job{ParamSet(generator.params), generator.default_extent, generator.default_cell};
    job.depth = generator.default_depth;
    if (!generator.presets.empty()) {
        job.params.apply(generator.presets.front());
    }
    return job;
}

// f(request), with its mutex held.
template <class F>
karst_status change(karst_request *handle, F &&f) noexcept {
    return guarded([&] {
        const auto request = requests().get(handle);
        const std::lock_guard lock(request->mutex);
        f(*request);
    });
}

std::string_view name_of_param(const char *param) {
    require(param, "param", "a parameter's name");
    return param;
}

ControlMap read_map(const char *name, const karst_painted_map &painted) {
    constexpr std::int64_t kMostCells = 65536;
    const Extent2 extent{painted.width, painted.height};
    for (const auto side : {extent.width, extent.height}) {
        if (side < 1 || side > kMostCells) {
            refuse("a side of map '" + std::string(name) + "' is " + std::to_string(side) +
                   " cells; allowed is 1 to " + std::to_string(kMostCells));
        }
    }
    const std::int64_t row = painted.row == 0 ? extent.width : painted.row;
    constexpr std::int64_t kLongestRow = std::int64_t{1} << 40;
    if (row < extent.width || row > kLongestRow) {
        refuse("row is " + std::to_string(row) + "; allowed is 0, and the width to " +
               std::to_string(kLongestRow));
    }
    if (!std::isfinite(painted.black) || !std::isfinite(painted.white)) {
        refuse("black or white of map '" + std::string(name) +
               "' is no number; allowed are numbers");
    }
    ControlMap map{name, Field2D<std::uint16_t>(extent), painted.black, painted.white};
    for (std::int64_t y = 0; y < extent.height; ++y) {
        std::copy_n(painted.cells + y * row, extent.width, map.map.row(y).data());
    }
    return map;
}

void require_listed(const std::vector<std::string> &list, const char *name, const char *what) {
    if (std::find(list.begin(), list.end(), name) == list.end()) {
        refuse(std::string("there is no ") + what + " '" + name + "'; allowed is one of " +
               core::joined(list));
    }
}

} // namespace

Request::Request(const GeneratorInfo &its) : generator(its), job(first_job(its)) {}

Job Request::copy_of_job() {
    const std::lock_guard lock(mutex);
    return job;
}

} // namespace karst::capi

using namespace karst;
using namespace karst::capi;

karst_status karst_request_create(const char *generator, karst_request **request) {
    return guarded([&] {
        require(generator, "generator", "a generator's name");
        require(request, "request", "a handle to fill");
        *request = requests().add(std::make_shared<Request>(find_generator(generator)));
    });
}

karst_status karst_request_destroy(karst_request *request) {
    return guarded([&] { requests().remove(request); });
}

karst_status karst_request_set_preset(karst_request *request, const char *preset) {
    return change(request, [&](Request &its) {
        require(preset, "preset", "a preset's name");
        const auto &presets = its.generator.presets;
        const auto found = std::find_if(presets.begin(), presets.end(),
                                        [&](const Preset &p) { return p.name == preset; });
        if (found == presets.end()) {
            refuse(std::string("there is no preset '") + preset + "'; allowed is one of " +
                   core::joined(presets, &Preset::name));
        }
        ParamSet params(its.generator.params);
        params.apply(*found);
        for (const LayerInfo &layer : its.generator.layers) {
            if (asks_for(its.job, layer.name) && !layer.parameter.empty()) {
                params.set(layer.parameter, true);
            }
        }
        its.job.params = params;
    });
}

karst_status karst_request_set_seed(karst_request *request, uint64_t seed) {
    return change(request, [&](Request &its) { its.job.seed = seed; });
}

karst_status karst_request_set_seed_text(karst_request *request, const char *seed) {
    return change(request, [&](Request &its) {
        require(seed, "seed", "a text");
        its.job.seed = parse_seed(seed);
    });
}

karst_status karst_request_set_extent(karst_request *request, int64_t width, int64_t height,
                                      int64_t depth) {
    return change(request, [&](Request &its) {
        if (width < 1 || height < 1 || depth < 0) {
            refuse("the extent is " + std::to_string(width) + " x " + std::to_string(height) +
                   " x " + std::to_string(depth) + "; allowed is 1 or more, a depth of 0 or more");
        }
        if ((its.generator.default_depth > 0) != (depth > 0)) {
            refuse("depth is " + std::to_string(depth) + "; allowed for " + its.generator.name +
                   " is " + (depth > 0 ? "0: it makes maps" : "1 or more: it makes volumes"));
        }
        its.job.extent = {width, height};
        its.job.depth = depth;
    });
}

karst_status karst_request_set_cell(karst_request *request, double metres) {
    return change(request, [&](Request &its) {
        if (!(metres > 0) || !std::isfinite(metres)) {
            refuse("cell is " + to_string(ParamValue(metres)) + "; allowed is above 0");
        }
        its.job.cell = metres;
    });
}

karst_status karst_request_set_boolean(karst_request *request, const char *param, int32_t value) {
    return change(request,
                  [&](Request &its) { its.job.params.set(name_of_param(param), value != 0); });
}

karst_status karst_request_set_integer(karst_request *request, const char *param, int64_t value) {
    return change(request, [&](Request &its) {
        const std::string_view name = name_of_param(param);
        if (std::holds_alternative<double>(its.job.params.value(name))) {
            its.job.params.set(name, static_cast<double>(value));
        } else {
            its.job.params.set(name, value);
        }
    });
}

karst_status karst_request_set_real(karst_request *request, const char *param, double value) {
    return change(request, [&](Request &its) {
        const std::string_view name = name_of_param(param);
        constexpr double kExact = 9007199254740992; // every whole number up to 2^53
        if (std::holds_alternative<std::int64_t>(its.job.params.value(name)) &&
            std::abs(value) <= kExact && std::trunc(value) == value) {
            its.job.params.set(name, static_cast<std::int64_t>(value));
        } else {
            its.job.params.set(name, value);
        }
    });
}

karst_status karst_request_set_text(karst_request *request, const char *param, const char *value) {
    return change(request, [&](Request &its) {
        require(value, "value", "a text");
        its.job.params.set_text(name_of_param(param), value);
    });
}

karst_status karst_request_get_text(const karst_request *request, const char *param, char *text,
                                    size_t capacity, size_t *size) {
    return guarded([&] {
        const auto its = requests().get(request);
        const std::string value = to_string(its->copy_of_job().params.value(name_of_param(param)));
        const std::size_t needed = value.size() + 1;
        if (capacity > 0) {
            require(text, "text", "memory of capacity bytes");
        }
        if (size != nullptr) {
            *size = needed;
        }
        if (capacity >= needed) {
            std::memcpy(text, value.c_str(), needed);
        } else if (capacity > 0 || size == nullptr) {
            throw CallError(KARST_BUFFER_TOO_SMALL, "the value takes " + std::to_string(needed) +
                                                        " bytes, capacity is " +
                                                        std::to_string(capacity));
        }
    });
}

karst_status karst_request_set_map(karst_request *request, const char *map,
                                   const karst_painted_map *painted) {
    return change(request, [&](Request &its) {
        require(map, "map", "a map's name");
        require_listed(its.generator.controls, map, "map");
        const karst_painted_map given = read(painted, "painted");
        require_reserved(given.reserved, "painted");
        std::vector<ControlMap> maps = its.job.controls;
        std::erase_if(maps, [&](const ControlMap &known) { return known.name == map; });
        if (given.cells != nullptr) {
            maps.push_back(read_map(map, given));
        }
        its.job.controls = std::move(maps);
    });
}

karst_status karst_request_set_shape(karst_request *request, const float *positions,
                                     size_t vertex_count, const uint32_t *indices,
                                     size_t index_count) {
    return change(request, [&](Request &its) {
        if (!its.generator.takes_shape) {
            refuse(its.generator.name + " takes no shape");
        }
        if (vertex_count == 0) {
            its.job.shape.reset();
            return;
        }
        require(positions, "positions", "three numbers a vertex");
        require(indices, "indices", "three numbers a triangle");
        Mesh mesh;
        mesh.positions.resize(vertex_count);
        std::memcpy(mesh.positions.data(), positions, vertex_count * sizeof(Vec3));
        mesh.indices.resize(index_count);
        std::memcpy(mesh.indices.data(), indices, index_count * sizeof(std::uint32_t));
        its.job.shape = std::move(mesh);
    });
}

karst_status karst_request_add_layer(karst_request *request, const char *layer) {
    return change(request, [&](Request &its) {
        require(layer, "layer", "a layer's name");
        const auto &layers = its.generator.layers;
        const auto found = std::find_if(layers.begin(), layers.end(),
                                        [&](const LayerInfo &l) { return l.name == layer; });
        if (found == layers.end()) {
            refuse(std::string("there is no layer '") + layer + "'; allowed is one of " +
                   core::joined(layers, &LayerInfo::name));
        }
        if (!asks_for(its.job, found->name)) {
            its.job.layers.push_back(found->name);
        }
        if (!found->parameter.empty()) {
            its.job.params.set(found->parameter, true);
        }
    });
}

karst_status karst_request_set_only_added(karst_request *request, int32_t only) {
    return change(request, [&](Request &its) { its.job.only_named = only != 0; });
}

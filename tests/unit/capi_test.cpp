// The C interface through its own header: what it shows, wrong handles, short buffers, parameters.
#include "support/capi.hpp"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include <karst/device.hpp>
#include <karst/seed.hpp>

#include "generators/registry.hpp"

using namespace karst::test;

// Numbers that programs were compiled with.
static_assert(KARST_OK == 0 && KARST_INVALID_ARGUMENT == 1 && KARST_IO_FAILURE == 2 &&
              KARST_INVALID_INPUT == 3 && KARST_OUT_OF_MEMORY == 4 && KARST_NO_DEVICE == 5 &&
              KARST_DEVICE_FAILURE == 6 && KARST_UNSUPPORTED == 7 &&
              KARST_REQUIREMENT_FAILED == 8 && KARST_CANCELLED == 9 &&
              KARST_BUFFER_TOO_SMALL == 10 && KARST_NOT_FINISHED == 11 &&
              KARST_INVALID_HANDLE == 12 && KARST_FORKED == 13 && KARST_INTERNAL == 14);
static_assert(KARST_DEVICE_CPU == 0 && KARST_DEVICE_CUDA == 1 && KARST_DEVICE_AUTOMATIC == 2);
static_assert(KARST_BOOLEAN == 0 && KARST_INTEGER == 1 && KARST_REAL == 2 && KARST_CHOICE == 3 &&
              KARST_TEXT == 4);
static_assert(KARST_MAP == 0 && KARST_VOLUME == 1 && KARST_MESH == 2 && KARST_DOCUMENT == 3 &&
              KARST_DRAWING == 4);
static_assert(KARST_TORUS == 0 && KARST_DEAD == 1 && KARST_ALIVE == 2);
static_assert(KARST_MASK == 0 && KARST_AMOUNT == 1 && KARST_ID == 2 && KARST_COLOUR == 3);

TEST_CASE("capi: what karst can make is what the registry says") {
    std::uint32_t count = 0;
    REQUIRE(karst_generator_count(&count) == KARST_OK);
    REQUIRE(count == karst::all_generators().size());
    for (std::uint32_t g = 0; g < count; ++g) {
        const karst::GeneratorInfo &row = karst::all_generators()[g];
        CAPTURE(row.name);
        auto info = sized<karst_generator>();
        REQUIRE(karst_generator_at(g, &info) == KARST_OK);
        CHECK(info.name == row.name);
        CHECK(info.help == row.help);
        CHECK(info.width == row.default_extent.width);
        CHECK(info.height == row.default_extent.height);
        CHECK(info.depth == row.default_depth);
        CHECK(info.cell == row.default_cell);
        CHECK((info.takes_shape != 0) == row.takes_shape);
        std::uint32_t found = count;
        CHECK(karst_find_generator(info.name, &found) == KARST_OK);
        CHECK(found == g);
        REQUIRE(info.param_count == row.params.size());
        for (std::uint32_t p = 0; p < info.param_count; ++p) {
            auto param = sized<karst_param>();
            REQUIRE(karst_param_at(g, p, &param) == KARST_OK);
            const karst::ParamInfo &known = row.params[p];
            CHECK(param.name == known.name);
            CHECK(param.unit == known.unit);
            CHECK(param.help == known.help);
            CHECK(param.minimum == known.minimum);
            CHECK(param.maximum == known.maximum);
            CHECK(param.type == static_cast<int>(known.type));
            REQUIRE(param.choice_count == known.choices.size());
            for (std::uint32_t c = 0; c < param.choice_count; ++c) {
                const char *name = nullptr;
                CHECK(karst_choice_at(g, p, c, &name) == KARST_OK);
                CHECK(name == known.choices[c]);
            }
            const char *none = nullptr;
            CHECK(karst_choice_at(g, p, param.choice_count, &none) == KARST_INVALID_ARGUMENT);
            // The default is what a request of no preset has.
            karst::ParamSet defaults(row.params);
            const std::string text = karst::to_string(defaults.value(p));
            if (param.type == KARST_BOOLEAN) {
                CHECK(text == (param.default_boolean != 0 ? "true" : "false"));
            } else if (param.type == KARST_CHOICE || param.type == KARST_TEXT) {
                CHECK(text == param.default_text);
            } else {
                CHECK(std::stod(text) == param.default_number);
            }
        }
        REQUIRE(info.preset_count == row.presets.size());
        for (std::uint32_t p = 0; p < info.preset_count; ++p) {
            auto preset = sized<karst_preset>();
            REQUIRE(karst_preset_at(g, p, &preset) == KARST_OK);
            CHECK(preset.name == row.presets[p].name);
            CHECK(preset.help == row.presets[p].help);
        }
        REQUIRE(info.layer_count == row.layers.size());
        for (std::uint32_t l = 0; l < info.layer_count; ++l) {
            auto layer = sized<karst_layer_kind>();
            REQUIRE(karst_layer_at(g, l, &layer) == KARST_OK);
            CHECK(layer.name == row.layers[l].name);
            CHECK(layer.param == row.layers[l].parameter);
            CHECK(layer.kind == static_cast<int>(row.layers[l].kind));
        }
        REQUIRE(info.map_count == row.controls.size());
        for (std::uint32_t m = 0; m < info.map_count; ++m) {
            const char *name = nullptr;
            REQUIRE(karst_map_at(g, m, &name) == KARST_OK);
            CHECK(name == row.controls[m]);
        }
        auto beyond = sized<karst_param>();
        CHECK(karst_param_at(g, info.param_count, &beyond) == KARST_INVALID_ARGUMENT);
        CHECK(karst_param_at(count, 0, &beyond) == KARST_INVALID_ARGUMENT);
    }
    CHECK(karst_find_generator("caves", &count) == KARST_INVALID_ARGUMENT);
    CHECK(last_error().find("cave") != std::string::npos);
    std::uint32_t devices = 0;
    REQUIRE(karst_device_count(&devices) == KARST_OK);
    REQUIRE(devices >= 1);
    auto device = sized<karst_device>();
    REQUIRE(karst_device_at(0, &device) == KARST_OK);
    CHECK(device.kind == KARST_DEVICE_CPU);
    CHECK(std::strncmp(device.name, "CPU", 3) == 0);
    CHECK(karst_device_at(devices, &device) == KARST_INVALID_ARGUMENT);
}

TEST_CASE("capi: results are those of the library, in its buffers and in the caller's") {
    const OwnRequest request("cave", 64);
    REQUIRE(karst_request_set_seed_text(request, "old mine") == KARST_OK);
    REQUIRE(karst_request_set_cell(request, 0.5) == KARST_OK);
    REQUIRE(karst_request_set_real(request, "passage_width", 4) == KARST_OK);
    const OwnResult result(request);

    const karst::GeneratorInfo &row = karst::find_generator("cave");
    karst::Job job{karst::ParamSet(row.params), {64, 64}, 0.5, karst::parse_seed("old mine")};
    job.params.apply(row.presets.front());
    job.params.set("passage_width", 4.0);
    const karst::Artifact expected = row.generate(job, {});

    auto info = sized<karst_result_info>();
    REQUIRE(karst_result_get_info(result, &info) == KARST_OK);
    CHECK(info.cell == 0.5);
    REQUIRE(info.layer_count == expected.layers.size());
    CHECK(info.mesh_count == expected.meshes.size());
    CHECK(info.document_count == expected.documents.size());
    REQUIRE(info.measure_count == expected.measures.size());
    for (std::uint32_t i = 0; i < info.measure_count; ++i) {
        auto measure = sized<karst_measure>();
        REQUIRE(karst_result_measure_at(result, i, &measure) == KARST_OK);
        CHECK(measure.name == expected.measures[i].first);
        CHECK(measure.value == expected.measures[i].second);
    }
    for (std::uint32_t i = 0; i < info.layer_count; ++i) {
        auto layer = sized<karst_layer>();
        REQUIRE(karst_result_layer_at(result, i, &layer) == KARST_OK);
        CAPTURE(layer.name);
        CHECK(layer.digest == karst::digest(expected.layers[i].data));
        CHECK(layer.width == 64);
        CHECK(layer.depth == 1);
        CHECK(layer.size == 64u * 64 * layer.channels * layer.bits / 8);

        // Every length that is too short is refused and writes nothing.
        std::vector<unsigned char> cells(layer.size, 7);
        for (std::size_t short_by = 1; short_by <= layer.size; short_by += 97) {
            CHECK(karst_result_copy_layer(result, i, cells.data(), layer.size - short_by, 0) ==
                  KARST_BUFFER_TOO_SMALL);
        }
        CHECK(karst_result_copy_layer(result, i, nullptr, layer.size, 0) == KARST_INVALID_ARGUMENT);
        CHECK(std::count(cells.begin(), cells.end(), 7) ==
              static_cast<std::ptrdiff_t>(cells.size()));
        REQUIRE(karst_result_copy_layer(result, i, cells.data(), layer.size, 0) == KARST_OK);
        CHECK(std::memcmp(cells.data(), layer.cells, layer.size) == 0);

        const std::size_t row_bytes = layer.size / 64;
        const std::size_t pitch = row_bytes + 12;
        const std::size_t whole = 63 * pitch + row_bytes; // the last row needs no rest
        std::vector<unsigned char> padded(whole, 9);
        CHECK(karst_result_copy_layer(result, i, padded.data(), whole - 1, pitch) ==
              KARST_BUFFER_TOO_SMALL);
        CHECK(karst_result_copy_layer(result, i, padded.data(), whole, row_bytes - 1) ==
              KARST_INVALID_ARGUMENT);
        CHECK(karst_result_copy_layer(result, i, padded.data(), whole, SIZE_MAX) ==
              KARST_BUFFER_TOO_SMALL);
        REQUIRE(karst_result_copy_layer(result, i, padded.data(), whole, pitch) == KARST_OK);
        CHECK(std::memcmp(padded.data() + 5 * pitch, cells.data() + 5 * row_bytes, row_bytes) == 0);
        CHECK(padded[row_bytes] == 9);
    }
    const karst_layer clearance = layer_of(result, "clearance");
    std::uint32_t index = 0;
    REQUIRE(karst_result_find_layer(result, "clearance", &index) == KARST_OK);
    // Into every third number of the caller's vertices.
    std::vector<float> vertices(3 * 64 * 64, -1.0f);
    for (const std::size_t capacity : {0u, 1u, 64u * 64 - 1}) {
        CHECK(karst_result_copy_amounts(result, index, vertices.data(), capacity, 12) ==
              KARST_BUFFER_TOO_SMALL);
    }
    for (const std::size_t stride : {std::size_t{3}, SIZE_MAX - 3, std::size_t{1} << 62}) {
        CHECK(karst_result_copy_amounts(result, index, vertices.data(), 64 * 64, stride) ==
              KARST_INVALID_ARGUMENT);
    }
    REQUIRE(karst_result_copy_amounts(result, index, vertices.data(), 64 * 64, 12) == KARST_OK);
    const auto *const raw = static_cast<const std::uint16_t *>(clearance.cells);
    for (const std::size_t i : {0u, 63u, 64u, 2000u, 4095u}) {
        CHECK(vertices[3 * i] == static_cast<float>(raw[i] * clearance.scale + clearance.offset));
        CHECK(vertices[3 * i + 1] == -1.0f);
    }
    CHECK(karst_result_find_layer(result, "clearence", &index) == KARST_INVALID_ARGUMENT);
}

TEST_CASE("capi: meshes, sockets and documents of a volume") {
    const OwnRequest request("cave3d", 40, 24);
    REQUIRE(karst_request_set_seed(request, 3) == KARST_OK);
    for (const char *layer : {"shell", "lods", "graph"}) {
        INFO(last_error());
        REQUIRE(karst_request_add_layer(request, layer) == KARST_OK);
    }
    const OwnResult result(request);
    auto info = sized<karst_result_info>();
    REQUIRE(karst_result_get_info(result, &info) == KARST_OK);
    REQUIRE(info.mesh_count > 0);
    for (std::uint32_t m = 0; m < info.mesh_count; ++m) {
        auto mesh = sized<karst_mesh>();
        REQUIRE(karst_result_mesh_at(result, m, &mesh) == KARST_OK);
        std::uint32_t found = 0;
        CHECK(karst_result_find_mesh(result, mesh.name, &found) == KARST_OK);
        CHECK(found == m);
        for (std::uint32_t p = 0; p < mesh.part_count; ++p) {
            auto part = sized<karst_mesh_part>();
            REQUIRE(karst_result_part_at(result, m, p, &part) == KARST_OK);
            REQUIRE(part.vertex_count > 2);
            REQUIRE(part.index_count % 3 == 0);
            // One buffer for all: position, normal, uv, tangent.
            struct Vertex {
                float position[3], normal[3], uv[2], tangent[4];
            };
            std::vector<Vertex> vertices(part.vertex_count);
            std::vector<std::uint32_t> indices(part.index_count);
            auto buffers = sized<karst_mesh_buffers>();
            buffers.stride = sizeof(Vertex);
            buffers.vertex_capacity = part.vertex_count;
            buffers.index_capacity = part.index_count;
            buffers.positions = vertices[0].position;
            buffers.normals = part.has_normals ? vertices[0].normal : nullptr;
            buffers.uvs = part.has_uvs ? vertices[0].uv : nullptr;
            buffers.tangents = part.has_tangents ? vertices[0].tangent : nullptr;
            buffers.indices = indices.data();
            REQUIRE(karst_result_copy_part(result, m, p, &buffers) == KARST_OK);
            for (const std::uint32_t i : indices) {
                REQUIRE(i < part.vertex_count);
            }
            if (part.has_normals) {
                for (const Vertex &v : vertices) {
                    const float *const n = v.normal;
                    REQUIRE(std::abs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-3);
                }
            }
            // Behind each other they are the same numbers.
            std::vector<float> positions(3 * part.vertex_count);
            auto plain = sized<karst_mesh_buffers>();
            plain.vertex_capacity = part.vertex_count;
            plain.positions = positions.data();
            REQUIRE(karst_result_copy_part(result, m, p, &plain) == KARST_OK);
            CHECK(std::memcmp(positions.data() + 3 * (part.vertex_count - 1),
                              vertices.back().position, 12) == 0);
            // One too few of either writes nothing.
            std::fill(positions.begin(), positions.end(), 5.0f);
            plain.vertex_capacity = part.vertex_count - 1;
            CHECK(karst_result_copy_part(result, m, p, &plain) == KARST_BUFFER_TOO_SMALL);
            plain.vertex_capacity = part.vertex_count;
            plain.indices = indices.data();
            plain.index_capacity = part.index_count - 1;
            CHECK(karst_result_copy_part(result, m, p, &plain) == KARST_BUFFER_TOO_SMALL);
            plain.index_capacity = part.index_count;
            plain.stride = 8;
            CHECK(karst_result_copy_part(result, m, p, &plain) == KARST_INVALID_ARGUMENT);
            CHECK(std::count(positions.begin(), positions.end(), 5.0f) ==
                  static_cast<std::ptrdiff_t>(positions.size()));
        }
        auto part = sized<karst_mesh_part>();
        CHECK(karst_result_part_at(result, m, mesh.part_count, &part) == KARST_INVALID_ARGUMENT);
        for (std::uint32_t s = 0; s < mesh.socket_count; ++s) {
            auto socket = sized<karst_socket>();
            REQUIRE(karst_result_socket_at(result, m, s, &socket) == KARST_OK);
            CHECK(std::strlen(socket.name) > 0);
        }
    }
    REQUIRE(info.document_count > 0);
    auto document = sized<karst_document>();
    REQUIRE(karst_result_document_at(result, 0, &document) == KARST_OK);
    CHECK(std::strlen(document.text) == document.length);
    CHECK(document.text[0] == '{');
    std::uint32_t place = 9;
    CHECK(karst_result_find_document(result, document.name, &place) == KARST_OK);
    CHECK(place == 0);
    CHECK(karst_result_find_document(result, "shell", &place) == KARST_INVALID_ARGUMENT);
    CHECK(karst_result_document_at(result, info.document_count, &document) ==
          KARST_INVALID_ARGUMENT);

    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / "karst_capi_test";
    fs::create_directories(folder);
    const auto path = [&](const char *name) { return (folder / name).string(); };
    auto mesh = sized<karst_mesh>();
    REQUIRE(karst_result_mesh_at(result, 0, &mesh) == KARST_OK);
    CHECK(karst_result_write(result, mesh.name, path("cave.glb").c_str()) == KARST_OK);
    CHECK(fs::file_size(folder / "cave.glb") > 1000);
    CHECK(karst_result_write(result, document.name, path("cave.json").c_str()) == KARST_OK);
    CHECK(fs::file_size(folder / "cave.json") == document.length);
    CHECK(karst_result_write(result, "volume", path("nowhere/a.vox").c_str()) == KARST_IO_FAILURE);
    CHECK(karst_result_write(result, "volume", "-") == KARST_INVALID_ARGUMENT);
    CHECK(karst_result_write(result, "nothing", path("a.png").c_str()) == KARST_INVALID_ARGUMENT);
    fs::remove_all(folder);
}

TEST_CASE("capi: handles that are null, foreign or destroyed") {
    karst_request *gone = nullptr;
    REQUIRE(karst_request_create("crack", &gone) == KARST_OK);
    REQUIRE(karst_request_destroy(gone) == KARST_OK);
    const OwnRequest alive("crack");
    int foreign = 0;
    for (void *raw : {static_cast<void *>(nullptr), static_cast<void *>(&foreign),
                      reinterpret_cast<void *>(std::uintptr_t{0xdeadbeef}),
                      reinterpret_cast<void *>(~std::uintptr_t{0}), static_cast<void *>(gone)}) {
        CAPTURE(raw);
        auto *const request = static_cast<karst_request *>(raw);
        auto *const job = static_cast<karst_job *>(raw);
        auto *const result = static_cast<karst_result *>(raw);
        const karst_status bad = KARST_INVALID_HANDLE;
        auto painted = sized<karst_painted_map>();
        char text[8];
        std::size_t size = 0;
        std::uint64_t bytes = 0;
        karst_result *made = nullptr;
        karst_job *begun = nullptr;
        CHECK(karst_request_destroy(request) == bad);
        CHECK(karst_request_set_preset(request, "mud") == bad);
        CHECK(karst_request_set_seed(request, 1) == bad);
        CHECK(karst_request_set_seed_text(request, "1") == bad);
        CHECK(karst_request_set_extent(request, 1, 1, 0) == bad);
        CHECK(karst_request_set_cell(request, 1) == bad);
        CHECK(karst_request_set_boolean(request, "tileable", 1) == bad);
        CHECK(karst_request_set_integer(request, "a", 1) == bad);
        CHECK(karst_request_set_real(request, "a", 1) == bad);
        CHECK(karst_request_set_text(request, "a", "b") == bad);
        CHECK(karst_request_get_text(request, "a", text, 8, &size) == bad);
        CHECK(karst_request_set_map(request, "walls", &painted) == bad);
        CHECK(karst_request_set_shape(request, nullptr, 0, nullptr, 0) == bad);
        CHECK(karst_request_add_layer(request, "mask") == bad);
        CHECK(karst_request_set_only_added(request, 1) == bad);
        CHECK(karst_request_memory(request, nullptr, &bytes) == bad);
        CHECK(karst_run(request, nullptr, &made) == bad);
        CHECK(karst_start(request, nullptr, &begun) == bad);
        auto state = sized<karst_job_state>();
        CHECK(karst_job_poll(job, &state) == bad);
        CHECK(karst_job_wait(job, 0) == bad);
        CHECK(karst_job_cancel(job) == bad);
        CHECK(karst_job_take_result(job, &made) == bad);
        CHECK(karst_job_destroy(job) == bad);
        auto info = sized<karst_result_info>();
        auto layer = sized<karst_layer>();
        auto mesh = sized<karst_mesh>();
        auto part = sized<karst_mesh_part>();
        auto buffers = sized<karst_mesh_buffers>();
        auto socket = sized<karst_socket>();
        auto document = sized<karst_document>();
        auto measure = sized<karst_measure>();
        std::uint32_t index = 0;
        float value = 0;
        const char *note = nullptr;
        CHECK(karst_result_destroy(result) == bad);
        CHECK(karst_result_get_info(result, &info) == bad);
        CHECK(karst_result_layer_at(result, 0, &layer) == bad);
        CHECK(karst_result_find_layer(result, "mask", &index) == bad);
        CHECK(karst_result_copy_layer(result, 0, text, 8, 0) == bad);
        CHECK(karst_result_copy_amounts(result, 0, &value, 1, 0) == bad);
        CHECK(karst_result_mesh_at(result, 0, &mesh) == bad);
        CHECK(karst_result_find_mesh(result, "mesh", &index) == bad);
        CHECK(karst_result_part_at(result, 0, 0, &part) == bad);
        CHECK(karst_result_copy_part(result, 0, 0, &buffers) == bad);
        CHECK(karst_result_socket_at(result, 0, 0, &socket) == bad);
        CHECK(karst_result_document_at(result, 0, &document) == bad);
        CHECK(karst_result_find_document(result, "graph", &index) == bad);
        CHECK(karst_result_measure_at(result, 0, &measure) == bad);
        CHECK(karst_result_note_at(result, 0, &note) == bad);
        CHECK(karst_result_write(result, "mask", "x.png") == bad);
        auto *const simulation = static_cast<karst_simulation *>(raw);
        karst_simulation *grown = nullptr;
        for (const karst_status status :
             {karst_cuda_physarum(request, nullptr, &grown), karst_cuda_advance(simulation, 1),
              karst_cuda_copy(simulation, text, 8), karst_cuda_destroy(simulation)}) {
            CHECK((status == bad || status == KARST_UNSUPPORTED)); // a build without CUDA
        }
        CHECK(grown == nullptr);
        CHECK(made == nullptr);
        CHECK(begun == nullptr);
    }
    // A handle of another kind is as foreign as any.
    auto *const other = reinterpret_cast<karst_result *>(static_cast<karst_request *>(alive));
    CHECK(karst_result_destroy(other) == KARST_INVALID_HANDLE);
}

TEST_CASE("capi: null arguments") {
    const OwnRequest request("cave");
    const OwnResult result(request);
    const karst_status bad = KARST_INVALID_ARGUMENT;
    CHECK(karst_device_count(nullptr) == bad);
    CHECK(karst_device_at(0, nullptr) == bad);
    CHECK(karst_generator_count(nullptr) == bad);
    CHECK(karst_generator_at(0, nullptr) == bad);
    std::uint32_t index = 0;
    CHECK(karst_find_generator(nullptr, &index) == bad);
    CHECK(karst_find_generator("cave", nullptr) == bad);
    CHECK(karst_param_at(0, 0, nullptr) == bad);
    CHECK(karst_preset_at(1, 0, nullptr) == bad);
    CHECK(karst_layer_at(0, 0, nullptr) == bad);
    CHECK(karst_map_at(0, 0, nullptr) == bad);
    karst_request *made = nullptr;
    CHECK(karst_request_create(nullptr, &made) == bad);
    CHECK(karst_request_create("cave", nullptr) == bad);
    CHECK(karst_request_set_preset(request, nullptr) == bad);
    CHECK(karst_request_set_seed_text(request, nullptr) == bad);
    CHECK(karst_request_set_boolean(request, nullptr, 1) == bad);
    CHECK(karst_request_set_text(request, "tileable", nullptr) == bad);
    CHECK(karst_request_set_map(request, nullptr, nullptr) == bad);
    CHECK(karst_request_set_map(request, "walls", nullptr) == bad);
    CHECK(karst_request_add_layer(request, nullptr) == bad);
    CHECK(karst_request_memory(request, nullptr, nullptr) == bad);
    CHECK(karst_run(request, nullptr, nullptr) == bad);
    CHECK(karst_start(request, nullptr, nullptr) == bad);
    CHECK(karst_result_get_info(result, nullptr) == bad);
    CHECK(karst_result_layer_at(result, 0, nullptr) == bad);
    CHECK(karst_result_find_layer(result, nullptr, &index) == bad);
    CHECK(karst_result_find_layer(result, "map", nullptr) == bad);
    CHECK(karst_result_find_mesh(result, nullptr, &index) == bad);
    CHECK(karst_result_copy_amounts(result, 0, nullptr, 1, 0) == bad);
    CHECK(karst_result_copy_part(result, 0, 0, nullptr) == bad);
    CHECK(karst_result_write(result, nullptr, "x.png") == bad);
    CHECK(karst_result_write(result, "map", nullptr) == bad);
    CHECK(std::strcmp(karst_status_name(-1), "unknown") == 0);
    CHECK(std::strcmp(karst_status_name(KARST_INTERNAL + 1), "unknown") == 0);
    CHECK(std::strcmp(karst_status_name(KARST_INTERNAL), "internal") == 0);
    CHECK(std::strcmp(karst_status_name(KARST_BUFFER_TOO_SMALL), "buffer_too_small") == 0);
}

TEST_CASE("capi: parameters by name, as text and as numbers") {
    const OwnRequest request("cave");
    const auto value_of = [&](const char *name) {
        std::size_t size = 0;
        REQUIRE(karst_request_get_text(request, name, nullptr, 0, &size) == KARST_OK);
        std::string text(size, '?');
        for (std::size_t capacity = 1; capacity < size; ++capacity) {
            CHECK(karst_request_get_text(request, name, text.data(), capacity, &size) ==
                  KARST_BUFFER_TOO_SMALL);
            CHECK(text == std::string(size, '?'));
        }
        REQUIRE(karst_request_get_text(request, name, text.data(), size, nullptr) == KARST_OK);
        text.pop_back();
        return text;
    };
    CHECK(karst_request_set_real(request, "passage_width", 7.5) == KARST_OK);
    CHECK(value_of("passage_width") == "7.5");
    CHECK(karst_request_set_integer(request, "passage_width", 9) == KARST_OK);
    CHECK(value_of("passage_width") == "9");
    CHECK(karst_request_set_text(request, "passage_width", "8") == KARST_OK);
    CHECK(value_of("passage_width") == "8");
    CHECK(karst_request_set_boolean(request, "tileable", 1) == KARST_OK);
    CHECK(value_of("tileable") == "true");
    CHECK(karst_request_set_real(request, "passage_width", 1e9) == KARST_INVALID_ARGUMENT);
    CHECK(last_error().find("passage_width") != std::string::npos);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(karst_request_set_real(request, "passage_width", nan) == KARST_INVALID_ARGUMENT);
    CHECK(karst_request_set_cell(request, nan) == KARST_INVALID_ARGUMENT);
    CHECK(karst_request_set_cell(request, -1) == KARST_INVALID_ARGUMENT);
    CHECK(karst_request_set_real(request, "passage_witdh", 5) == KARST_INVALID_ARGUMENT);
    CHECK(last_error().find("passage_width") != std::string::npos);
    CHECK(value_of("passage_width") == "8");
    CHECK(karst_request_set_extent(request, 64, 64, 3) == KARST_INVALID_ARGUMENT);
    CHECK(karst_request_set_extent(request, 0, 64, 0) == KARST_INVALID_ARGUMENT);
    // A preset begins anew.
    auto preset = sized<karst_preset>();
    std::uint32_t cave = 0;
    REQUIRE(karst_find_generator("cave", &cave) == KARST_OK);
    REQUIRE(karst_preset_at(cave, 0, &preset) == KARST_OK);
    CHECK(karst_request_set_preset(request, preset.name) == KARST_OK);
    CHECK(value_of("tileable") == "false");
    CHECK(karst_request_add_layer(request, "walls") == KARST_OK);
    CHECK(karst_request_set_preset(request, preset.name) == KARST_OK);
    CHECK(value_of("walls") == "true");
    CHECK(karst_request_set_preset(request, "no such") == KARST_INVALID_ARGUMENT);
}

TEST_CASE("capi: painted maps and shapes") {
    const OwnRequest request("cave", 64);
    const OwnResult plain(request);
    // The west half is walls; rows of the caller's map are longer than its width.
    std::vector<std::uint16_t> cells(20 * 16, 1234);
    for (int y = 0; y < 16; ++y) {
        for (int x = 0; x < 16; ++x) {
            cells[static_cast<std::size_t>(y * 20 + x)] = x < 8 ? 65535 : 0;
        }
    }
    auto painted = sized<karst_painted_map>();
    painted.width = 16;
    painted.height = 16;
    painted.row = 20;
    painted.cells = cells.data();
    CHECK(karst_request_set_map(request, "wall", &painted) == KARST_INVALID_ARGUMENT);
    REQUIRE(karst_request_set_map(request, "walls", &painted) == KARST_OK);
    const OwnResult steered(request);
    const karst_layer map = layer_of(steered, "map");
    const auto *const open = static_cast<const std::uint8_t *>(map.cells);
    for (std::int64_t y = 0; y < 64; ++y) {
        for (std::int64_t x = 0; x < 28; ++x) {
            REQUIRE(open[y * 64 + x] == 0);
        }
    }
    CHECK(map.digest != layer_of(plain, "map").digest);
    painted.row = 15;
    CHECK(karst_request_set_map(request, "walls", &painted) == KARST_INVALID_ARGUMENT);
    painted.row = 0;
    painted.width = 65537;
    CHECK(karst_request_set_map(request, "walls", &painted) == KARST_INVALID_ARGUMENT);
    painted = sized<karst_painted_map>();
    REQUIRE(karst_request_set_map(request, "walls", &painted) == KARST_OK);
    CHECK(layer_of(OwnResult(request), "map").digest == layer_of(plain, "map").digest);

    const float corner[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const std::uint32_t triangle[] = {0, 1, 2};
    CHECK(karst_request_set_shape(request, corner, 3, triangle, 3) == KARST_INVALID_ARGUMENT);
    const OwnRequest volume("cave3d", 40, 24);
    REQUIRE(karst_request_set_shape(volume, corner, 3, triangle, 3) == KARST_OK);
    karst_result *none = nullptr;
    CHECK(karst_run(volume, nullptr, &none) == KARST_INVALID_INPUT); // it is not closed
    const std::uint32_t wrong[] = {0, 1, 7};
    REQUIRE(karst_request_set_shape(volume, corner, 3, wrong, 3) == KARST_OK);
    CHECK(karst_run(volume, nullptr, &none) != KARST_OK);
    CHECK(karst_request_set_shape(volume, nullptr, 3, triangle, 3) == KARST_INVALID_ARGUMENT);
    CHECK(karst_request_set_shape(volume, corner, 3, triangle, SIZE_MAX) == KARST_OUT_OF_MEMORY);
    CHECK(karst_request_set_shape(volume, corner, SIZE_MAX, triangle, 3) == KARST_OUT_OF_MEMORY);
    CHECK(none == nullptr);
}

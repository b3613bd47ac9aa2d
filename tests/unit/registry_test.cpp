// What the command line takes for granted about every row of the registry.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "generators/registry.hpp"

using namespace karst;

TEST_CASE("registry: rows are whole") {
    std::set<std::string> names;
    for (const auto &row : all_generators()) {
        INFO(row.name);
        CHECK(names.insert(row.name).second);
        CHECK(&find_generator(row.name) == &row);
        REQUIRE(!row.layers.empty());
        std::set<std::string> layers;
        for (const auto &layer : row.layers) {
            CHECK(layers.insert(layer.name).second);
            CHECK((layer.kind != LayerKind::volume || row.default_depth > 0));
            CHECK((!layer.on_request || layer.parameter.empty()));
            if (!layer.parameter.empty()) {
                CHECK(std::holds_alternative<bool>(ParamSet(row.params).value(layer.parameter)));
            }
        }
        for (const auto &preset : row.presets) {
            INFO(preset.name);
            CHECK_NOTHROW(ParamSet(row.params).apply(preset));
        }
    }
}

TEST_CASE("registry: a row of volumes fits the command that runs it") {
    for (const auto &row : all_generators()) {
        if (row.volume_name.empty()) {
            continue;
        }
        INFO(row.name);
        const GeneratorInfo &volume = find_generator(row.volume_name);
        CHECK(row.default_depth == 0);
        CHECK(volume.default_depth > 0);
        CHECK(volume.volume_name.empty());
        CHECK(volume.simulation == row.simulation);
        for (const auto &info : row.params) { // one flag serves both
            const auto same =
                std::find_if(volume.params.begin(), volume.params.end(),
                             [&info](const ParamInfo &other) { return other.name == info.name; });
            CHECK((same == volume.params.end() || same->type == info.type));
        }
    }
}

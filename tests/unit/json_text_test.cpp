// JSON written value by value is what nlohmann's tree of the same values gives.
#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "generators/json_text.hpp"

using namespace karst;

TEST_CASE("json text: the same bytes as a tree's") {
    using Json = nlohmann::ordered_json;
    const std::vector<double> numbers{0,    -0.0, 1,       0.1,  1.0 / 3, 1e-5,      123456789.125,
                                      1e15, 1e16, 5.5e300, -2.5, 1e-300,  4294967296};
    Json tree{{"text", "a \"quoted\" \\ line\nand \xc3\xbc"},
              {"numbers", numbers},
              {"none", nullptr},
              {"yes", true},
              {"infinite", std::numeric_limits<double>::infinity()},
              {"nothing", Json::array()},
              {"empty", Json::object()},
              {"nested", {{{"id", 0}, {"list", {1, -2}}}, {{"id", 1}, {"list", Json::array()}}}}};
    JsonText json;
    json.object([&] {
        json.member("text", "a \"quoted\" \\ line\nand \xc3\xbc");
        json.key("numbers");
        json.array_of(numbers, [&](double number) { json.value(number); });
        json.member("none", nullptr);
        json.member("yes", true);
        json.member("infinite", std::numeric_limits<double>::infinity());
        json.key("nothing");
        json.array([] {});
        json.key("empty");
        json.object([] {});
        json.key("nested");
        json.array([&] {
            json.object([&] {
                json.member("id", 0);
                json.key("list");
                json.array_of(std::vector<int>{1, -2}, [&](int number) { json.value(number); });
            });
            json.object([&] {
                json.member("id", 1);
                json.key("list");
                json.array([] {});
            });
        });
    });
    CHECK(json.take() == tree.dump(1) + "\n");
}

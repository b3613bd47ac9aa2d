#include <cmath>

#include <nlohmann/json.hpp>

#include "generators/cave_volume.hpp"

namespace karst::cave_volume {

namespace {

using Json = nlohmann::ordered_json;

// To a millimetre, so that the text is short.
double millimetres(double metres) {
    return std::round(metres * 1000) / 1000;
}

template <class Points>
Json points(const Points &all) {
    Json list = Json::array();
    for (const CavePoint &point : all) {
        list.push_back({millimetres(point[0]), millimetres(point[1]), millimetres(point[2])});
    }
    return list;
}

Json point(const CavePoint &one) {
    return points(std::array<CavePoint, 1>{one}).front();
}

} // namespace

std::string level_json(const CaveVolume &cave, Extent3 extent, double cell) {
    const auto side = [cell](std::int64_t cells) {
        return millimetres(static_cast<double>(cells) * cell);
    };
    Json level{{"format", "karst cave graph 1"},
               {"axes", "x east, y south, z up, metres"},
               {"size", {side(extent.width), side(extent.height), side(extent.depth)}},
               {"water_level", millimetres(cave.graph.water_level)}};
    level["rooms"] = Json::array();
    for (const CaveRoom &room : cave.graph.rooms) {
        level["rooms"].push_back({{"centre", point(room.centre)},
                                  {"width", millimetres(room.width)},
                                  {"height", millimetres(room.height)},
                                  {"volume", millimetres(room.volume)}});
    }
    level["passages"] = Json::array();
    for (const CavePassage &passage : cave.graph.passages) {
        level["passages"].push_back({{"rooms", passage.ends},
                                     {"length", millimetres(passage.length)},
                                     {"width", millimetres(passage.width)},
                                     {"points", points(passage.points)}});
    }
    level["portals"] = Json::array();
    for (const CavePortal &portal : cave.graph.portals) {
        level["portals"].push_back({{"room", portal.room},
                                    {"passage", portal.passage},
                                    {"width", millimetres(portal.width)},
                                    {"height", millimetres(portal.height)},
                                    {"polygon", points(portal.polygon)}});
    }
    level["entrances"] = Json::array();
    for (const CaveEntrance &entrance : cave.entrances) {
        level["entrances"].push_back(
            {{"position", point(entrance.position)}, {"outwards", entrance.outwards}});
    }
    level["spawn_points"] = points(cave.graph.spawn_points);
    return level.dump(1) + "\n";
}

} // namespace karst::cave_volume

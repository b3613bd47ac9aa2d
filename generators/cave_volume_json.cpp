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

Json point(const CavePoint &one) {
    return {millimetres(one[0]), millimetres(one[1]), millimetres(one[2])};
}

template <class Points>
Json points(const Points &all) {
    Json list = Json::array();
    for (const CavePoint &one : all) {
        list.push_back(point(one));
    }
    return list;
}

const char *name(CaveNodeKind kind) {
    switch (kind) {
    case CaveNodeKind::room:
        return "room";
    case CaveNodeKind::entrance:
        return "entrance";
    case CaveNodeKind::junction:
        return "junction";
    case CaveNodeKind::dead_end:
        break;
    }
    return "dead_end";
}

// A list of objects, each beginning with its index as "id".
template <class Items, class F>
Json numbered(const Items &items, F &&describe) {
    Json list = Json::array();
    for (const auto &item : items) {
        Json entry{{"id", list.size()}};
        describe(item, entry);
        list.push_back(std::move(entry));
    }
    return list;
}

void describe_node(const CaveNode &node, Json &entry) {
    entry["kind"] = name(node.kind);
    if (node.index >= 0) {
        entry[name(node.kind)] = node.index;
    }
    entry["position"] = point(node.position);
    entry["passages"] = node.passages;
}

void describe_passage(const CavePassage &passage, Json &entry) {
    entry["from"] = passage.nodes[0];
    entry["to"] = passage.nodes[1];
    entry["length"] = millimetres(passage.length);
    entry["width"] = millimetres(passage.width);
    entry["height"] = millimetres(passage.height);
    entry["points"] = points(passage.points);
}

void describe_portal(const CavePortal &portal, Json &entry) {
    entry["room"] = portal.room;
    entry["passage"] = portal.passage;
    entry["end"] = portal.end == 0 ? "from" : "to";
    entry["width"] = millimetres(portal.width);
    entry["height"] = millimetres(portal.height);
    entry["polygon"] = points(portal.polygon);
}

void describe_entrance(const CaveEntrance &entrance, Json &entry) {
    entry["node"] = entrance.node;
    entry["position"] = point(entrance.position);
    entry["outwards"] = entrance.outwards;
    entry["walkable"] = entrance.walkable;
}

void describe_spawn(const CaveSpawn &spawn, Json &entry) {
    entry["room"] = spawn.room;
    entry["position"] = point(spawn.position);
}

} // namespace

std::string level_json(const CaveVolume &cave, Extent3 extent, double cell) {
    const auto side = [cell](std::int64_t cells) {
        return millimetres(static_cast<double>(cells) * cell);
    };
    const CaveGraph &graph = cave.graph;
    Json level{{"format", "karst cave graph 2"},
               {"axes", "x east, y south, z up, metres"},
               {"size", {side(extent.width), side(extent.height), side(extent.depth)}},
               {"water_level", millimetres(graph.water_level)}};
    level["nodes"] = numbered(graph.nodes, describe_node);
    level["rooms"] = numbered(graph.rooms, [](const CaveRoom &room, Json &entry) {
        entry["node"] = entry["id"]; // the rooms' nodes are the first
        entry["centre"] = point(room.centre);
        entry["bounds"] = points(room.bounds);
        entry["width"] = millimetres(room.width);
        entry["height"] = millimetres(room.height);
        entry["volume"] = millimetres(room.volume);
    });
    level["passages"] = numbered(graph.passages, describe_passage);
    level["portals"] = numbered(graph.portals, describe_portal);
    level["entrances"] = numbered(cave.entrances, describe_entrance);
    level["spawn_points"] = numbered(graph.spawn_points, describe_spawn);
    return level.dump(1) + "\n";
}

} // namespace karst::cave_volume

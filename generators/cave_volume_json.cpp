#include <cmath>

#include "generators/cave_volume.hpp"
#include "generators/json_text.hpp"

namespace karst::cave_volume {

namespace {

// To a millimetre, so that the text is short.
double millimetres(double metres) {
    return std::round(metres * 1000) / 1000;
}

void write_length(JsonText &json, const char *name, double metres) {
    json.member(name, millimetres(metres));
}

void write_point(JsonText &json, const CavePoint &one) {
    json.array_of(one, [&](auto coordinate) { json.value(millimetres(coordinate)); });
}

void write_point(JsonText &json, const char *name, const CavePoint &one) {
    json.key(name);
    write_point(json, one);
}

template <class Points>
void write_points(JsonText &json, const char *name, const Points &all) {
    json.key(name);
    json.array_of(all, [&](const CavePoint &one) { write_point(json, one); });
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

// A list of objects, each beginning with its index as "id": describe(item, id).
template <class Items, class F>
void write_numbered(JsonText &json, const char *name, const Items &items, F &&describe) {
    std::size_t id = 0;
    json.key(name);
    json.array_of(items, [&](const auto &item) {
        json.object([&] {
            json.member("id", id);
            describe(item, id);
        });
        ++id;
    });
}

void write_node(JsonText &json, const CaveNode &node) {
    json.member("kind", name(node.kind));
    if (node.index >= 0) {
        json.member(name(node.kind), node.index);
    }
    write_point(json, "position", node.position);
    json.key("passages");
    json.array_of(node.passages, [&](auto passage) { json.value(passage); });
}

void write_room(JsonText &json, const CaveRoom &room, std::size_t id) {
    json.member("node", id); // the rooms' nodes are the first
    write_point(json, "centre", room.centre);
    write_points(json, "bounds", room.bounds);
    write_length(json, "width", room.width);
    write_length(json, "height", room.height);
    write_length(json, "volume", room.volume);
}

void write_passage(JsonText &json, const CavePassage &passage) {
    json.member("from", passage.nodes[0]);
    json.member("to", passage.nodes[1]);
    write_length(json, "length", passage.length);
    write_length(json, "width", passage.width);
    write_length(json, "height", passage.height);
    write_points(json, "points", passage.points);
}

void write_portal(JsonText &json, const CavePortal &portal) {
    json.member("room", portal.room);
    json.member("passage", portal.passage);
    json.member("end", portal.end == 0 ? "from" : "to");
    write_length(json, "width", portal.width);
    write_length(json, "height", portal.height);
    write_points(json, "polygon", portal.polygon);
}

void write_entrance(JsonText &json, const CaveEntrance &entrance) {
    json.member("node", entrance.node);
    write_point(json, "position", entrance.position);
    json.key("outwards");
    json.array_of(entrance.outwards, [&](int step) { json.value(step); });
    json.member("walkable", entrance.walkable);
}

void write_spawn(JsonText &json, const CaveSpawn &spawn) {
    json.member("room", spawn.room);
    write_point(json, "position", spawn.position);
}

} // namespace

std::string level_json(const CaveVolume &cave, Extent3 extent, double cell) {
    const CaveGraph &graph = cave.graph;
    JsonText json;
    const auto describe = [&json](auto *write) {
        return [&json, write](const auto &item, std::size_t) { write(json, item); };
    };
    json.object([&] {
        json.member("format", "karst cave graph 2");
        json.member("axes", "x east, y south, z up, metres");
        json.key("size");
        json.array([&] {
            for (const std::int64_t cells : {extent.width, extent.height, extent.depth}) {
                json.value(millimetres(static_cast<double>(cells) * cell));
            }
        });
        write_length(json, "water_level", graph.water_level);
        write_numbered(json, "nodes", graph.nodes, describe(write_node));
        write_numbered(json, "rooms", graph.rooms, [&json](const CaveRoom &room, std::size_t id) {
            write_room(json, room, id);
        });
        write_numbered(json, "passages", graph.passages, describe(write_passage));
        write_numbered(json, "portals", graph.portals, describe(write_portal));
        write_numbered(json, "entrances", cave.entrances, describe(write_entrance));
        write_numbered(json, "spawn_points", graph.spawn_points, describe(write_spawn));
    });
    return json.take();
}

} // namespace karst::cave_volume

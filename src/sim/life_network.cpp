// The future of a cell depends on `ones`, on the cell itself, and on the others only by
// h = carry + twos + 2 fours, 0 to 4. A gate of (carry, twos, fours) gives any function of h. So
// the search is for few functions of h, and few gates that join them with `ones` and the cell.
#include "sim/life_network.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace karst::sim {

namespace {

// A function of (ones, cell, h) as a table of 20 bits, of h alone as one of 5.
using Table = std::uint32_t;
constexpr Table kAll = (1u << 20) - 1;

constexpr Table bit_of(unsigned ones, unsigned cell, unsigned h) {
    return 1u << (10 * ones + 5 * cell + h);
}

constexpr Table of_h(Table five) {
    return five * 0x8421;
}

// A live cell in a window of sum 0 and a dead one in a sum of 9 do not exist.
constexpr Table kExist = kAll & ~bit_of(0, 1, 0) & ~bit_of(1, 0, 4);

Table wanted(LifeRule rule) {
    Table table = 0;
    for (unsigned ones = 0; ones < 2; ++ones) {
        for (unsigned cell = 0; cell < 2; ++cell) {
            for (unsigned h = 0; h < 5; ++h) {
                const Table bit = bit_of(ones, cell, h);
                const unsigned counts = cell == 1 ? rule.survive : rule.birth;
                if ((bit & kExist) != 0 && ((counts >> (ones + 2 * h - cell)) & 1) != 0) {
                    table |= bit;
                }
            }
        }
    }
    return table;
}

// A wire of the network and what it carries.
struct Wire {
    Table table;
    std::uint8_t number;
};
constexpr Wire kOnes{bit_of(1, 0, 0) * 0x3FF, 0};
constexpr Wire kCell{bit_of(0, 1, 0) * 0x1F | bit_of(1, 1, 0) * 0x1F, 4};

// The function where `wire`, kOnes or kCell, is `value`, for both of its values.
Table cofactor(Table table, const Wire &wire, bool value) {
    const unsigned step = wire.number == kOnes.number ? 10 : 5;
    const Table half = table & (value ? wire.table : ~wire.table & kAll);
    return half | (value ? half >> step : half << step);
}

// The gate that gives `table` wherever `known` has a bit; none if a, b and c do not tell.
std::optional<std::uint8_t> gate_for(Table table, Table known, Table a, Table b, Table c) {
    unsigned gate = 0;
    for (unsigned i = 0; i < 8; ++i) {
        const Table where =
            known & ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
        if ((table & where) == where) {
            gate |= 1u << i;
        } else if ((table & where) != 0) {
            return {};
        }
    }
    return static_cast<std::uint8_t>(gate);
}

Table output_of(unsigned gate, Table a, Table b, Table c) {
    Table table = 0;
    for (unsigned i = 0; i < 8; ++i) {
        if (((gate >> i) & 1) != 0) {
            table |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
        }
    }
    return table & kAll;
}

class Network {
public:
    Wire add(unsigned gate, const Wire &a, const Wire &b, const Wire &c) {
        gates_.push_back({static_cast<std::uint8_t>(gate), {a.number, b.number, c.number}});
        return {output_of(gate, a.table, b.table, c.table),
                static_cast<std::uint8_t>(4 + gates_.size())};
    }

    // A function of h; each is made once.
    Wire add_of_h(Table five) {
        for (const Wire &wire : of_h_) {
            if (wire.table == of_h(five)) {
                return wire;
            }
        }
        unsigned gate = 0;
        for (unsigned i = 0; i < 8; ++i) {
            gate |= ((five >> ((i >> 2) + (i >> 1 & 1) + 2 * (i & 1))) & 1) << i;
        }
        gates_.push_back({static_cast<std::uint8_t>(gate), {1, 2, 3}});
        of_h_.push_back({of_h(five), static_cast<std::uint8_t>(4 + gates_.size())});
        return of_h_.back();
    }

    // The gate for `table` where `known` has a bit; the caller knows that there is one.
    Wire add_for(Table table, Table known, const Wire &a, const Wire &b, const Wire &c) {
        return add(gate_for(table, known, a.table, b.table, c.table).value(), a, b, c);
    }

    std::size_t size() const { return gates_.size(); }
    std::vector<LifeGate> take() { return std::move(gates_); }

private:
    std::vector<LifeGate> gates_;
    std::vector<Wire> of_h_;
};

// With one function of h or none: 2 gates or 1.
bool with_one(Network &network, Table table) {
    for (Table p = 0; p < 16; ++p) {
        if (gate_for(table, kExist, kOnes.table, kCell.table, of_h(p))) {
            network.add_for(table, kExist, kOnes, kCell, p == 0 ? kCell : network.add_of_h(p));
            return true;
        }
    }
    return false;
}

using FourWires = std::array<Wire, 4>; // ones, the cell and two functions of h

bool in_one_gate(Network &network, Table table, const FourWires &wires) {
    for (const Wire &first : {wires[0], wires[1]}) {
        if (gate_for(table, kExist, first.table, wires[2].table, wires[3].table)) {
            network.add_for(table, kExist, first, wires[2], wires[3]);
            return true;
        }
    }
    return false;
}

// A gate of three of the wires, and one of its output and two wires.
bool in_two_gates(Network &network, Table table, const FourWires &wires) {
    for (const Wire &left : wires) { // that the first gate lacks
        std::array<Wire, 3> three;
        std::remove_copy_if(wires.begin(), wires.end(), three.begin(),
                            [&](const Wire &wire) { return wire.number == left.number; });
        for (const Wire &again : three) {
            for (unsigned gate = 1; gate < 128; ++gate) { // the others are complements
                const Table first = output_of(gate, three[0].table, three[1].table, three[2].table);
                if (gate_for(table, kExist, left.table, again.table, first)) {
                    network.add_for(table, kExist, left, again,
                                    network.add(gate, three[0], three[1], three[2]));
                    return true;
                }
            }
        }
    }
    return false;
}

// A gate for each value of `ones`, and one to choose.
bool in_three_gates(Network &network, Table table, const FourWires &wires) {
    const auto &[ones, cell, p, q] = wires;
    const Wire even = network.add_for(table, kExist & ~ones.table, cell, p, q);
    const Wire odd = network.add_for(table, kExist & ones.table, cell, p, q);
    network.add_for(table, kExist, ones, even, odd);
    return true;
}

// With two functions of h, which `join` makes the result of.
bool with_two(Network &network, Table table, bool (*join)(Network &, Table, const FourWires &)) {
    for (Table p = 1; p < 16; ++p) {
        for (Table q = p + 1; q < 16; ++q) {
            const auto told_where = [&](Table known) {
                return gate_for(table, known, kCell.table, of_h(p), of_h(q)).has_value();
            };
            if (told_where(kExist & kOnes.table) && told_where(kExist & ~kOnes.table)) {
                Network longer = network;
                const Wire wire_p = longer.add_of_h(p);
                if (join(longer, table, {kOnes, kCell, wire_p, longer.add_of_h(q)})) {
                    network = std::move(longer);
                    return true;
                }
            }
        }
    }
    return false;
}

// What the last gate joins: by `by` it chooses between two functions or adds them modulo 2.
struct Split {
    Wire by;
    Wire other;                 // kCell if `by` is kOnes, and the other way round
    Table table;                // with a choice for what does not exist
    std::array<Table, 2> parts; // functions of `other` and h
};

std::vector<Split> all_splits(Table table) {
    std::vector<Split> splits;
    for (const Table more : {Table{0}, bit_of(0, 1, 0), bit_of(1, 0, 4), kAll & ~kExist}) {
        for (const auto &[by, other] : {std::pair{kOnes, kCell}, {kCell, kOnes}}) {
            const Table zero = cofactor(table | more, by, false);
            const Table one = cofactor(table | more, by, true);
            splits.push_back({by, other, table | more, {zero, one}});
            splits.push_back({by, other, table | more, {zero, zero ^ one}});
            splits.push_back({by, other, table | more, {one, zero ^ one}});
        }
    }
    return splits;
}

// Pairs of functions of h that tell `part`, each one of the pair as it is or complemented.
std::array<std::array<Table, 2>, 3> pairs_for(Table part, const Wire &other) {
    const auto five = [](Table table) { return (table & 16) != 0 ? ~table & 31 : table & 31; };
    const Table zero = cofactor(part, other, false);
    const Table one = cofactor(part, other, true);
    const Table a = five(zero);
    const Table b = five(one);
    const Table c = five(zero ^ one);
    return {{{a, b}, {a, c}, {b, c}}};
}

// With three functions of h, else four: 6 or 7 gates.
void with_many(Network &network, Table table) {
    Network best;
    std::size_t fewest = kMostLifeGates + 1;
    for (const Split &split : all_splits(table)) {
        for (const auto &first : pairs_for(split.parts[0], split.other)) {
            for (const auto &second : pairs_for(split.parts[1], split.other)) {
                Network longer = network;
                const auto add = [&](Table part, const std::array<Table, 2> &pair) {
                    const auto wire = [&](Table five) { // of a constant any wire
                        return five == 0 ? split.other : longer.add_of_h(five);
                    };
                    const Wire p = wire(pair[0]);
                    return longer.add_for(part, kAll, split.other, p, wire(pair[1]));
                };
                const Wire a = add(split.parts[0], first);
                const Wire b = add(split.parts[1], second);
                longer.add_for(split.table, kAll, split.by, a, b);
                if (longer.size() < fewest) {
                    fewest = longer.size();
                    best = std::move(longer);
                }
            }
        }
    }
    network = std::move(best);
}

} // namespace

std::vector<LifeGate> make_life_network(LifeRule rule) {
    const Table table = wanted(rule);
    Network network;
    if (!with_one(network, table) && !with_two(network, table, in_one_gate) &&
        !with_two(network, table, in_two_gates) && !with_two(network, table, in_three_gates)) {
        with_many(network, table);
    }
    return network.take();
}

std::string source_of(const std::vector<LifeGate> &network, const std::string &name) {
    static constexpr const char *kInputs[] = {"sum.ones", "sum.carry", "sum.twos", "sum.fours",
                                              "cell"};
    const auto wire = [](std::size_t number) {
        return number < 5 ? kInputs[number] : "g" + std::to_string(number - 5);
    };
    std::string text = "struct " + name +
                       " {\n"
                       "    template <class Sum, class Word>\n"
                       "    KARST_HD Word next(const Sum &sum, Word cell) const {\n";
    for (std::size_t i = 0; i < network.size(); ++i) {
        const auto &[a, b, c] = network[i].inputs;
        text += "        const Word " + wire(5 + i) + " = gate<" +
                std::to_string(network[i].table) + ">(" + wire(a) + ", " + wire(b) + ", " +
                wire(c) + ");\n";
    }
    return text + "        return " + wire(4 + network.size()) + ";\n    }\n};\n";
}

} // namespace karst::sim

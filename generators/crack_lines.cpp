#include "generators/crack_lines.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "core/rng.hpp"

namespace karst::crack {

namespace {

// Catmull-Rom between b and c at t of 16 fraction bits.
std::int64_t spline(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d,
                    std::int64_t t) {
    const std::int64_t t2 = (t * t) >> 16;
    const std::int64_t t3 = (t2 * t) >> 16;
    const std::int64_t wa = -t + 2 * t2 - t3;
    const std::int64_t wc = t + 4 * t2 - 3 * t3;
    const std::int64_t wd = t3 - t2;
    // Relative to b, so that the products stay small.
    return b + ((wa * (a - b) + wc * (c - b) + wd * (d - b)) >> 17);
}

} // namespace

Line refined(const Line &line, std::int64_t spacing) {
    Line fine;
    const std::size_t count = line.points.size();
    for (std::size_t i = 0; i + 1 < count; ++i) {
        const Point b = line.points[i];
        const Point c = line.points[i + 1];
        const Point a = i > 0 ? line.points[i - 1] : b - (c - b);
        const Point d = i + 2 < count ? line.points[i + 2] : c + (c - b);
        const std::int64_t pieces =
            std::max<std::int64_t>(1, (reach(c - b) + spacing - 1) / spacing);
        for (std::int64_t k = 0; k < pieces; ++k) {
            const std::int64_t t = (k << 16) / pieces;
            fine.points.push_back({spline(a.x, b.x, c.x, d.x, t), spline(a.y, b.y, c.y, d.y, t)});
            const std::int64_t from = line.widths[i];
            const std::int64_t to = line.widths[i + 1];
            fine.widths.push_back(static_cast<std::uint32_t>(from + (((to - from) * t) >> 16)));
        }
    }
    fine.points.push_back(line.points.back());
    fine.widths.push_back(line.widths.back());
    return fine;
}

namespace {

constexpr std::array<Point, 4> kSteps = {{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};

// The lattice of cell corners with the edges that separate plates. Corner (x, y) is the upper left
// one of cell (x, y).
class Borders {
public:
    explicit Borders(const Field2D<std::uint32_t> &plates)
        : plates_(plates), width_(plates.width()), height_(plates.height()),
          used_(plates.extent()) {}

    std::int64_t corner(Point p) const { return wrap(p.y, height_) * width_ + wrap(p.x, width_); }

    bool edge(Point p, int direction) const {
        switch (direction) {
        case 0:
            return plate(p.x, p.y - 1) != plate(p.x, p.y);
        case 1:
            return plate(p.x - 1, p.y) != plate(p.x, p.y);
        case 2:
            return edge({p.x - 1, p.y}, 0);
        default:
            return edge({p.x, p.y - 1}, 1);
        }
    }

    int degree(Point p) const {
        int count = 0;
        for (int d = 0; d < 4; ++d) {
            count += edge(p, d) ? 1 : 0;
        }
        return count;
    }

    bool used(Point p, int direction) const {
        return (used_[owner(p, direction)] >> (direction & 1)) & 1;
    }
    void use(Point p, int direction) {
        used_[owner(p, direction)] |= static_cast<std::uint8_t>(1 << (direction & 1));
    }

    // From p along `direction` to the next junction, or back to p.
    std::vector<Point> walk(Point p, int direction) {
        std::vector<Point> points{p};
        const std::int64_t start = corner(p);
        for (;;) {
            use(p, direction);
            p = p + kSteps[static_cast<std::size_t>(direction)];
            points.push_back(p);
            if (corner(p) == start || degree(p) != 2) {
                return points;
            }
            for (int d = 0; d < 4; ++d) {
                if (edge(p, d) && !used(p, d)) {
                    direction = d;
                    break;
                }
            }
        }
    }

private:
    std::uint32_t plate(std::int64_t x, std::int64_t y) const {
        return plates_.at(wrap(x, width_), wrap(y, height_));
    }
    // The corner at which an edge begins, seen in direction 0 or 1.
    std::int64_t owner(Point p, int direction) const {
        return corner(direction < 2 ? p : p + kSteps[static_cast<std::size_t>(direction)]);
    }

    const Field2D<std::uint32_t> &plates_;
    std::int64_t width_, height_;
    Field2D<std::uint8_t> used_; // bit 0: the edge to the right, bit 1: the edge down
};

std::vector<std::vector<Point>> chains(Borders &borders, Extent2 extent) {
    std::vector<std::vector<Point>> found;
    // Junctions first, then what is left: closed lines.
    for (const bool junctions : {true, false}) {
        for (std::int64_t y = 0; y < extent.height; ++y) {
            for (std::int64_t x = 0; x < extent.width; ++x) {
                const Point p{x, y};
                if ((borders.degree(p) == 2) == junctions) {
                    continue;
                }
                for (int d = 0; d < 4; ++d) {
                    if (borders.edge(p, d) && !borders.used(p, d)) {
                        found.push_back(borders.walk(p, d));
                    }
                }
            }
        }
    }
    return found;
}

// The mean of a point's two neighbours and, twice, itself; a junction moves as far as the mean of
// the lines that meet in it asks. Closed lines take their first point as a junction of two ends.
void smooth(std::vector<Line> &lines, const std::vector<std::array<std::int64_t, 2>> &ends,
            int passes) {
    struct Pull {
        Point sum;
        std::int64_t count = 0;
    };
    for (int pass = 0; pass < passes; ++pass) {
        std::map<std::int64_t, Pull> junctions;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            auto &points = lines[i].points;
            for (const int side : {0, 1}) {
                const Point end = side == 0 ? points.front() : points.back();
                const Point next = side == 0 ? points[1] : points[points.size() - 2];
                Pull &pull = junctions[ends[i][static_cast<std::size_t>(side)]];
                pull.sum = pull.sum + (next - end);
                ++pull.count;
            }
        }
        for (std::size_t i = 0; i < lines.size(); ++i) {
            auto &points = lines[i].points;
            const auto moved = [&](int side) {
                const Pull &pull = junctions[ends[i][static_cast<std::size_t>(side)]];
                return Point{floor_div(pull.sum.x, 2 * pull.count),
                             floor_div(pull.sum.y, 2 * pull.count)};
            };
            Point before = points.front();
            for (std::size_t k = 1; k + 1 < points.size(); ++k) {
                const Point here = points[k];
                points[k] = {(before.x + 2 * here.x + points[k + 1].x) >> 2,
                             (before.y + 2 * here.y + points[k + 1].y) >> 2};
                before = here;
            }
            points.front() = points.front() + moved(0);
            points.back() = points.back() + moved(1);
        }
    }
}

} // namespace

std::vector<Line> trace_borders(const Field2D<std::uint32_t> &plates,
                                const Field2D<std::uint32_t> &strength, int passes) {
    Borders borders(plates);
    std::vector<Line> lines;
    std::vector<std::array<std::int64_t, 2>> ends;
    for (const auto &chain : chains(borders, plates.extent())) {
        Line line;
        for (const Point p : chain) {
            line.points.push_back({p.x << kPointBits, p.y << kPointBits});
            line.widths.push_back(strength[borders.corner(p)]);
        }
        lines.push_back(std::move(line));
        ends.push_back({borders.corner(chain.front()), borders.corner(chain.back())});
    }
    smooth(lines, ends, passes);
    return lines;
}

namespace {

struct Border {
    std::int64_t edges = 0;
    std::uint64_t strength = 0;
};

bool weaker(const Border &a, const Border &b) { // by mean strength, then the longer one
    const auto left = a.strength / static_cast<std::uint64_t>(a.edges);
    const auto right = b.strength / static_cast<std::uint64_t>(b.edges);
    return left != right ? left < right : a.edges > b.edges;
}

} // namespace

void merge_small(Field2D<std::uint32_t> &plates, const Field2D<std::uint32_t> &strength,
                 std::int64_t least) {
    std::map<std::uint32_t, std::int64_t> areas;
    std::map<std::uint32_t, std::map<std::uint32_t, Border>> graph;
    for (std::int64_t y = 0; y < plates.height(); ++y) {
        for (std::int64_t x = 0; x < plates.width(); ++x) {
            const std::uint32_t here = plates.at(x, y);
            ++areas[here];
            for (const Point step : {Point{1, 0}, Point{0, 1}}) {
                const std::int64_t u = wrap(x + step.x, plates.width());
                const std::int64_t v = wrap(y + step.y, plates.height());
                const std::uint32_t other = plates.at(u, v);
                if (other != here) {
                    const std::uint64_t along =
                        std::uint64_t{strength.at(x, y)} + strength.at(u, v);
                    for (Border *border : {&graph[here][other], &graph[other][here]}) {
                        ++border->edges;
                        border->strength += along;
                    }
                }
            }
        }
    }
    std::map<std::uint32_t, std::uint32_t> into;
    std::set<std::pair<std::int64_t, std::uint32_t>> small;
    for (const auto &[plate, area] : areas) {
        if (area < least) {
            small.emplace(area, plate);
        }
    }
    while (!small.empty()) {
        const std::uint32_t plate = small.begin()->second;
        small.erase(small.begin());
        const auto &neighbours = graph[plate];
        if (neighbours.empty()) {
            continue;
        }
        auto best = neighbours.begin();
        for (auto it = neighbours.begin(); it != neighbours.end(); ++it) {
            if (weaker(it->second, best->second)) {
                best = it;
            }
        }
        const std::uint32_t target = best->first;
        for (const auto &[other, border] : neighbours) {
            graph[other].erase(plate);
            if (other != target) {
                for (Border *sum : {&graph[target][other], &graph[other][target]}) {
                    sum->edges += border.edges;
                    sum->strength += border.strength;
                }
            }
        }
        graph.erase(plate);
        small.erase({areas[target], target});
        areas[target] += areas[plate];
        if (areas[target] < least) {
            small.emplace(areas[target], target);
        }
        into[plate] = target;
    }
    for (auto &[plate, target] : into) {
        for (auto next = into.find(target); next != into.end(); next = into.find(target)) {
            target = next->second;
        }
    }
    for (std::uint32_t &plate : plates.cells()) {
        if (const auto found = into.find(plate); found != into.end()) {
            plate = found->second;
        }
    }
}

Point TorusNoise::at(Point p) const {
    const Point q = on_grid(p, grid_, lattice_);
    const auto eased = [](std::int64_t t) { // 3t^2 - 2t^3
        return (((t * t) >> 16) * (3 * kOneCell - 2 * t)) >> 16;
    };
    const std::int64_t fx = eased(q.x & (kOneCell - 1));
    const std::int64_t fy = eased(q.y & (kOneCell - 1));
    const auto corner = [&](int dx, int dy) {
        const core::Draw4 draw = core::draw_at(
            seed_, static_cast<std::int32_t>(wrap((q.x >> kPointBits) + dx, lattice_.width)),
            static_cast<std::int32_t>(wrap((q.y >> kPointBits) + dy, lattice_.height)), 0,
            core::use(core::stage_crack, slot_));
        return Point{static_cast<std::int64_t>(draw.word[0] >> 15) - kOneCell,
                     static_cast<std::int64_t>(draw.word[1] >> 15) - kOneCell};
    };
    const auto mix = [](Point a, Point b, std::int64_t t) {
        return Point{a.x + (((b.x - a.x) * t) >> 16), a.y + (((b.y - a.y) * t) >> 16)};
    };
    return mix(mix(corner(0, 0), corner(1, 0), fx), mix(corner(0, 1), corner(1, 1), fx), fy);
}

} // namespace karst::crack

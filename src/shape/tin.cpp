// Greedy insertion of samples into a Delaunay triangulation of a height field.
#include <algorithm>
#include <array>
#include <queue>
#include <tuple>

#include "shape/grid.hpp"
#include "shape/heightmesh.hpp"

namespace karst::shape {

namespace {

__extension__ typedef __int128 Wide;

// Twice the area of a, b, c: positive if they turn clockwise on the map, whose y points down.
std::int64_t turn(Cell2 a, Cell2 b, Cell2 c) {
    return (std::int64_t{b.x} - a.x) * (std::int64_t{c.y} - a.y) -
           (std::int64_t{b.y} - a.y) * (std::int64_t{c.x} - a.x);
}

// Whether d lies inside the circle through a, b, c, which turn as `turn` is positive.
bool in_circle(Cell2 a, Cell2 b, Cell2 c, Cell2 d) {
    const auto row = [d](Cell2 p) {
        const std::int64_t x = std::int64_t{p.x} - d.x;
        const std::int64_t y = std::int64_t{p.y} - d.y;
        return std::array<std::int64_t, 3>{x, y, x * x + y * y};
    };
    const auto p = row(a);
    const auto q = row(b);
    const auto r = row(c);
    const auto minor = [](const auto &u, const auto &v) { return u[0] * v[1] - u[1] * v[0]; };
    return Wide{p[2]} * minor(q, r) + Wide{q[2]} * minor(r, p) + Wide{r[2]} * minor(p, q) > 0;
}

class Tin {
public:
    Tin(const Field2D<std::uint16_t> &height, std::int64_t max_error)
        : height_(height), max_error_(max_error) {
        const auto right = static_cast<std::int32_t>(height.width() - 1);
        const auto bottom = static_cast<std::int32_t>(height.height() - 1);
        points_ = {{0, 0}, {right, 0}, {right, bottom}, {0, bottom}};
        triangles_.push_back({{0, 1, 2}, {-1, 1, -1}});
        triangles_.push_back({{0, 2, 3}, {-1, -1, 0}});
        rescan(0);
        rescan(1);
    }

    // Inserts the worst sample; false: none is beyond the largest error.
    bool insert_worst() {
        while (!queue_.empty()) {
            const Candidate worst = queue_.top();
            queue_.pop();
            if (versions_[static_cast<std::size_t>(worst.triangle)] == worst.version) {
                insert(worst.triangle, worst.at);
                return true;
            }
        }
        return false;
    }

    Triangulation result() const {
        std::vector<std::uint32_t> order(points_.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            order[i] = static_cast<std::uint32_t>(i);
        }
        std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
            return std::tie(points_[a].y, points_[a].x) < std::tie(points_[b].y, points_[b].x);
        });
        std::vector<std::uint32_t> place(points_.size());
        Triangulation out;
        for (std::size_t i = 0; i < order.size(); ++i) {
            place[order[i]] = static_cast<std::uint32_t>(i);
            out.samples.push_back(points_[order[i]]);
        }
        std::vector<std::array<std::uint32_t, 3>> triangles;
        for (const Triangle &triangle : triangles_) {
            // Clockwise on the map, so the other way around seen from above with y to the south.
            std::array<std::uint32_t, 3> corners{};
            for (std::size_t k = 0; k < 3; ++k) {
                corners[k] = place[static_cast<std::size_t>(triangle.corner[2 - k])];
            }
            std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()),
                        corners.end());
            triangles.push_back(corners);
        }
        std::sort(triangles.begin(), triangles.end());
        for (const auto &corners : triangles) {
            out.indices.insert(out.indices.end(), corners.begin(), corners.end());
        }
        return out;
    }

private:
    // neighbour[k] lies across the edge that faces corner[k]; -1: nothing.
    struct Triangle {
        std::array<int, 3> corner;
        std::array<int, 3> neighbour;
    };
    struct Candidate {
        std::int64_t error; // steps of height, 8 fraction bits
        Cell2 at;
        int triangle;
        std::uint32_t version;
        friend bool operator<(const Candidate &a, const Candidate &b) {
            // The top of a queue is its largest: the largest error, then the first sample.
            return std::tie(a.error, b.at.y, b.at.x, b.triangle) <
                   std::tie(b.error, a.at.y, a.at.x, a.triangle);
        }
    };

    Triangle &triangle(int i) { return triangles_[static_cast<std::size_t>(i)]; }
    Cell2 point(int i) const { return points_[static_cast<std::size_t>(i)]; }
    std::int64_t level(Cell2 p) const { return height_.at(p.x, p.y); }

    static std::size_t place_of(const std::array<int, 3> &values, int value) {
        return static_cast<std::size_t>(std::find(values.begin(), values.end(), value) -
                                        values.begin());
    }

    // Puts the worst sample of a triangle into the queue, if it is beyond the largest error.
    void rescan(int index) {
        if (versions_.size() < triangles_.size()) {
            versions_.resize(triangles_.size());
        }
        const std::uint32_t version = ++versions_[static_cast<std::size_t>(index)];
        const Triangle &t = triangle(index);
        const Cell2 a = point(t.corner[0]);
        const Cell2 b = point(t.corner[1]);
        const Cell2 c = point(t.corner[2]);
        const std::int64_t area = turn(a, b, c);
        const std::int64_t za = level(a);
        const std::int64_t zb = level(b);
        const std::int64_t zc = level(c);
        const auto [x0, x1] = std::minmax({a.x, b.x, c.x});
        const auto [y0, y1] = std::minmax({a.y, b.y, c.y});
        Candidate worst{-1, {}, index, version};
        // Weights of the corners at (x0, y), and how they change from a column to the next.
        const std::int64_t ia = b.y - std::int64_t{c.y};
        const std::int64_t ib = c.y - std::int64_t{a.y};
        const std::int64_t ic = a.y - std::int64_t{b.y};
        for (std::int32_t y = y0; y <= y1; ++y) {
            std::int64_t wa = turn(b, c, {x0, y});
            std::int64_t wb = turn(c, a, {x0, y});
            std::int64_t wc = turn(a, b, {x0, y});
            const auto row = height_.row(y);
            for (std::int32_t x = x0; x <= x1; ++x, wa += ia, wb += ib, wc += ic) {
                if ((wa | wb | wc) < 0) {
                    continue;
                }
                const std::int64_t plane = wa * za + wb * zb + wc * zc;
                const std::int64_t off = std::abs(plane - area * row[static_cast<std::size_t>(x)]);
                // Rounded up, so that the bound holds.
                const auto error = static_cast<std::int64_t>((Wide{off} * 256 + area - 1) / area);
                if (error > worst.error) {
                    worst.error = error;
                    worst.at = {x, y};
                }
            }
        }
        if (worst.error > max_error_) {
            queue_.push(worst);
        }
    }

    void link(int index, int from, int to) { // `index` had the neighbour `from`
        if (index >= 0) {
            auto &neighbours = triangle(index).neighbour;
            neighbours[place_of(neighbours, from)] = to;
        }
    }

    int add(const Triangle &t) {
        triangles_.push_back(t);
        return static_cast<int>(triangles_.size()) - 1;
    }

    void insert(int index, Cell2 at) {
        const int p = static_cast<int>(points_.size());
        points_.push_back(at);
        const Triangle t = triangle(index);
        for (std::size_t k = 0; k < 3; ++k) {
            const int a = t.corner[(k + 1) % 3];
            const int b = t.corner[(k + 2) % 3];
            if (turn(point(a), point(b), at) == 0) {
                split_edge(index, k, p);
                return;
            }
        }
        // Three triangles around p; `index` keeps the edge that faces corner 0.
        const auto [c0, c1, c2] = t.corner;
        const auto [n0, n1, n2] = t.neighbour;
        const int second = add({{p, c2, c0}, {n1, -1, -1}});
        const int third = add({{p, c0, c1}, {n2, -1, -1}});
        triangle(index) = {{p, c1, c2}, {n0, second, third}};
        triangle(second).neighbour = {n1, third, index};
        triangle(third).neighbour = {n2, index, second};
        link(n1, index, second);
        link(n2, index, third);
        legalise({index, second, third});
    }

    // p lies on the edge that faces corner k of `index`.
    void split_edge(int index, std::size_t k, int p) {
        const Triangle t = triangle(index);
        const int apex = t.corner[k];
        const int a = t.corner[(k + 1) % 3];
        const int b = t.corner[(k + 2) % 3];
        const int across = t.neighbour[k];
        const int beside_a = t.neighbour[(k + 2) % 3]; // of the edge apex-a
        const int beside_b = t.neighbour[(k + 1) % 3]; // of the edge b-apex
        const int second = add({{p, b, apex}, {beside_b, index, -1}});
        triangle(index) = {{p, apex, a}, {beside_a, -1, second}};
        link(beside_b, index, second);
        if (across < 0) {
            legalise({index, second});
            return;
        }
        const Triangle o = triangle(across);
        const std::size_t j = place_of(o.neighbour, index);
        const int far = o.corner[j];
        const int far_b = o.neighbour[place_of(o.corner, a)]; // of the edge far-b
        const int far_a = o.neighbour[place_of(o.corner, b)]; // of the edge a-far
        const int fourth = add({{p, far, b}, {far_b, second, across}});
        triangle(across) = {{p, a, far}, {far_a, fourth, index}};
        triangle(index).neighbour[1] = across;
        triangle(second).neighbour[2] = fourth;
        link(far_b, across, fourth);
        legalise({index, second, across, fourth});
    }

    // Flips edges that face p, the first corner of each triangle of the list, until all are
    // Delaunay, and scans what changed.
    void legalise(std::vector<int> open) {
        std::vector<int> changed = open;
        while (!open.empty()) {
            const int index = open.back();
            open.pop_back();
            const Triangle t = triangle(index);
            const int across = t.neighbour[0];
            if (across < 0) {
                continue;
            }
            const Triangle o = triangle(across);
            const std::size_t j = place_of(o.neighbour, index);
            const int far = o.corner[j];
            if (!in_circle(point(t.corner[0]), point(t.corner[1]), point(t.corner[2]),
                           point(far))) {
                continue;
            }
            // p, a, b and far, b, a become p, a, far and p, far, b.
            const auto [p, a, b] = t.corner;
            const int beyond_b = o.neighbour[place_of(o.corner, a)]; // of the edge far-b
            const int beyond_a = o.neighbour[place_of(o.corner, b)]; // of the edge a-far
            triangle(index) = {{p, a, far}, {beyond_a, across, t.neighbour[2]}};
            triangle(across) = {{p, far, b}, {beyond_b, t.neighbour[1], index}};
            link(beyond_a, across, index);
            link(t.neighbour[1], index, across);
            open.push_back(index);
            open.push_back(across);
            changed.push_back(across);
        }
        std::sort(changed.begin(), changed.end());
        changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
        for (const int index : changed) {
            rescan(index);
        }
    }

    const Field2D<std::uint16_t> &height_;
    std::int64_t max_error_;
    std::vector<Cell2> points_;
    std::vector<Triangle> triangles_;
    std::vector<std::uint32_t> versions_;
    std::priority_queue<Candidate> queue_;
};

} // namespace

Triangulation triangulate_tin(core::Run &run, const Field2D<std::uint16_t> &height,
                              double max_error) {
    require_range(height.width(), 2, 65536, "triangulate_tin", "width");
    require_range(height.height(), 2, 65536, "triangulate_tin", "height");
    Tin tin(height, static_cast<std::int64_t>(std::clamp(max_error, 0.0, 65536.0) * 256));
    constexpr std::int64_t kMostPoints = std::int64_t{1} << 30; // ids of points and triangles
    for (std::int64_t n = 0; tin.insert_worst(); ++n) {
        if (n % 64 == 0) {
            run.check_cancel();
        }
        if (n == kMostPoints) {
            throw Error(ErrorCode::unsupported,
                        "a mesh within this error has more than 1073741824 vertices; allowed is a "
                        "larger error");
        }
    }
    return tin.result();
}

} // namespace karst::shape

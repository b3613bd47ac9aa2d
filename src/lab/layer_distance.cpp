#include "lab/layer_distance.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <variant>

#include <karst/error.hpp>

namespace karst::lab {

namespace {

template <class T>
struct Channels {
    static constexpr std::size_t kCount = 1;
    static std::uint32_t at(T cell, std::size_t) { return cell; }
};
template <class T, std::size_t n>
struct Channels<std::array<T, n>> {
    static constexpr std::size_t kCount = n;
    static std::uint32_t at(const std::array<T, n> &cell, std::size_t i) { return cell[i]; }
};

template <class T>
double share_that_differs(std::span<const T> u, std::span<const T> v) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
        count += u[i] != v[i] ? 1 : 0;
    }
    return static_cast<double>(count) / static_cast<double>(u.size());
}

template <class T>
double mean_difference(const Layer &one, const Layer &other, std::span<const T> u,
                       std::span<const T> v) {
    using Its = Channels<T>;
    const auto numbers = static_cast<double>(u.size() * Its::kCount);
    if (one.scale == other.scale && one.offset == other.offset) { // exact but for one product
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < u.size(); ++i) {
            for (std::size_t c = 0; c < Its::kCount; ++c) {
                const std::uint32_t a = Its::at(u[i], c);
                const std::uint32_t b = Its::at(v[i], c);
                sum += a > b ? a - b : b - a;
            }
        }
        return static_cast<double>(sum) / numbers * (one.scale < 0 ? -one.scale : one.scale);
    }
    double sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
        for (std::size_t c = 0; c < Its::kCount; ++c) {
            const double a = Its::at(u[i], c) * one.scale + one.offset;
            const double b = Its::at(v[i], c) * other.scale + other.offset;
            sum += a > b ? a - b : b - a;
        }
    }
    return sum / numbers;
}

// Pairs of cells `stride` apart inside blocks of `block`: neighbours along one axis.
struct Pairs {
    std::uint64_t all = 0, differ = 0;

    template <class T>
    void add(std::span<const T> u, std::span<const T> v, std::int64_t stride, std::int64_t block) {
        for (std::size_t i = 0; i < u.size(); ++i) {
            if (static_cast<std::int64_t>(i) % block + stride < block) {
                const std::size_t j = i + static_cast<std::size_t>(stride);
                ++all;
                differ += (u[i] == u[j]) != (v[i] == v[j]) ? 1u : 0u;
            }
        }
    }
};

template <class T>
double share_of_pairs(std::span<const T> u, std::span<const T> v, Extent3 extent) {
    Pairs pairs;
    const std::int64_t slice = extent.width * extent.height;
    pairs.add(u, v, 1, extent.width);
    pairs.add(u, v, extent.width, slice);
    pairs.add(u, v, slice, slice * extent.depth);
    return pairs.all == 0 ? 0 : static_cast<double>(pairs.differ) / static_cast<double>(pairs.all);
}

[[noreturn]] void refuse(const Layer &layer, const std::string &what) {
    throw Error(ErrorCode::invalid_argument, "the layer " + layer.name + " " + what);
}

} // namespace

double layer_distance(const Layer &one, const Layer &other) {
    if (one.data.index() != other.data.index() || one.meaning != other.meaning ||
        extent(one.data) != extent(other.data)) {
        refuse(one, "is compared with one of another size or type; allowed is the same");
    }
    return std::visit(
        [&](const auto &field) {
            using Field = std::remove_cvref_t<decltype(field)>;
            using T = typename Field::value_type;
            const std::span<const T> u = field.cells();
            const std::span<const T> v = std::get<Field>(other.data).cells();
            switch (one.meaning) {
            case LayerMeaning::mask:
                return share_that_differs(u, v);
            case LayerMeaning::amount:
                return mean_difference(one, other, u, v);
            case LayerMeaning::id:
                return share_of_pairs(u, v, extent(one.data));
            case LayerMeaning::colour:
                break;
            }
            refuse(one, "is a picture; allowed is a mask, an amount or ids");
        },
        one.data);
}

} // namespace karst::lab

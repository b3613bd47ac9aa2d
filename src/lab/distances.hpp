// How far two fields of the same size lie apart. Counts and sums of whole numbers are exact, what
// follows is double in the order of the cells. Sizes that differ throw Error(invalid_argument).
#pragma once

#include <cstdint>
#include <span>

#include <karst/simulate.hpp>

namespace karst::lab {

// Cells that differ.
std::int64_t hamming(const LifeBoard &u, const LifeBoard &v);
// Their share, 0 to 1.
double hamming_fraction(const LifeBoard &u, const LifeBoard &v);

// Fields of counts and amounts, cell by cell.
class Distances {
public:
    Distances(std::span<const std::uint32_t> u, std::span<const std::uint32_t> v);

    // Share of the cells that differ.
    double hamming_fraction() const;
    // Mean |u - v|, in the cells' own unit.
    double mean_difference() const;
    // sum |u - v| / (sum u + sum v), 0 to 1 (Bray and Curtis 1957); 0 if both are empty.
    double bray_curtis() const;
    // Mean |u - v| over its expectation if one field's cells were shuffled: 1 where the places have
    // nothing to do with each other, 0 where they are the same. 0 of two equal constants.
    double normalised_l1() const;
    // |u - v| / sqrt(|u - mean u|^2 + |v - mean v|^2), Euclidean norms: likewise about 1 for equal
    // means. 0 of two equal constants, infinity of different ones.
    double normalised_l2() const;
    // |grad u - grad v| / sqrt(|grad u|^2 + |grad v|^2), grad: the differences to the next cell of
    // the row and of the next row, rows of `width` cells. 1 where slopes have nothing to do with
    // each other. 0 of two planes of one inclination. Throws Error(invalid_argument) if the cells
    // are not whole rows.
    double slope_l2(std::int64_t width) const;

private:
    std::span<const std::uint32_t> u_, v_;
};

// What two independent seeds differ by in a binary field of density p: 2 p (1 - p).
constexpr double independent_hamming(double p) {
    return 2 * p * (1 - p);
}
// The mean of that over a map of densities, one for each place; never above that of their mean.
double independent_hamming(std::span<const double> densities);

} // namespace karst::lab

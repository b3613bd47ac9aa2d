#include "lab/seed_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/disjoint_sets.hpp"
#include "lab/distances.hpp"

namespace karst::lab {

namespace {

double share_of(const SeenField &field) {
    const std::uint64_t sum =
        std::accumulate(field.cells.begin(), field.cells.end(), std::uint64_t{0});
    return static_cast<double>(sum) / static_cast<double>(field.cells.size());
}

// Connected along the axes; no wrap at the border.
double components_of(const SeenField &field) {
    const auto width = static_cast<std::size_t>(field.width);
    core::DisjointSets<std::uint32_t> sets(field.cells.size());
    std::int64_t count = 0;
    for (std::size_t i = 0; i < field.cells.size(); ++i) {
        if (field.cells[i] == 0) {
            continue;
        }
        ++count;
        if (i % width != 0 && field.cells[i - 1] != 0 && sets.unite(i, i - 1)) {
            --count;
        }
        if (i >= width && field.cells[i - width] != 0 && sets.unite(i, i - width)) {
            --count;
        }
    }
    return static_cast<double>(count);
}

bool repeats_earlier(const Sight &sight, std::size_t index) {
    const auto &fields = sight.fields;
    return std::any_of(
        fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(index),
        [&](const SeenField &earlier) { return earlier.cells == fields[index].cells; });
}

double mean_of_partners(const std::vector<double> &values, std::size_t bits) {
    const auto partners = static_cast<double>(values.size() - bits);
    return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(bits), values.end(), 0.0) /
           partners;
}

// Of columns [first, last) over the samples; columns without spread are left out.
double mean_correlation(std::size_t quantity, std::size_t first, std::size_t last,
                        std::span<const SeedSample> samples) {
    std::vector<double> sums(samples.size());
    double columns = 0;
    for (std::size_t column = first; column < last; ++column) {
        std::vector<double> values;
        for (const SeedSample &sample : samples) {
            values.push_back(sample.values[quantity][column]);
        }
        const Mean mean = mean_of(values);
        const double spread = mean.standard_error * std::sqrt(static_cast<double>(samples.size()));
        if (!(spread > 0)) {
            continue;
        }
        columns += 1;
        for (std::size_t k = 0; k < values.size(); ++k) {
            sums[k] += (values[k] - mean.value) / spread;
        }
    }
    if (columns < 2) {
        return 0;
    }
    // The variance of the sum of standardised columns is the sum of all correlations.
    double square = 0;
    for (const double sum : sums) {
        square += sum * sum;
    }
    const double all = square / static_cast<double>(samples.size() - 1);
    return (all - columns) / (columns * (columns - 1));
}

// The mean over the samples of f(sample).
template <class F>
double mean_over(std::span<const SeedSample> samples, F &&f) {
    double sum = 0;
    for (const SeedSample &sample : samples) {
        sum += f(sample);
    }
    return sum / static_cast<double>(samples.size());
}

// Sum over bits of the mean distance to the base run over that of independent seeds.
double sum_of_ratios(std::size_t quantity, bool structure, std::span<const SeedSample> samples,
                     std::size_t bits) {
    const auto away = [&](const SeedSample &sample, std::size_t column) {
        const double value = sample.values[quantity][column];
        return structure ? std::abs(value - sample.base[quantity]) : value;
    };
    double flipped = 0;
    double independent = 0;
    for (const SeedSample &sample : samples) {
        const std::size_t columns = sample.values[quantity].size();
        for (std::size_t column = 0; column < columns; ++column) {
            (column < bits ? flipped : independent) += away(sample, column);
        }
    }
    const auto partners = static_cast<double>(samples.front().values[quantity].size() - bits);
    return flipped / (independent / partners);
}

SeedRow row_of(const Quantity &quantity, std::size_t index, std::span<const SeedSample> samples,
               std::size_t bits) {
    SeedRow row;
    row.quantity = quantity;
    row.baseline = mean_over(samples, [&](const SeedSample &sample) {
        return mean_of_partners(sample.values[index], bits);
    });
    if (quantity.way == Way::hamming && quantity.of_mask) {
        row.expected = independent_hamming(
            mean_over(samples, [&](const SeedSample &sample) { return sample.base[index]; }));
    }
    row.average_sensitivity = sum_of_ratios(index, quantity.is_structure(), samples, bits);
    for (const SeedSample &sample : samples) {
        for (std::size_t bit = 0; bit < bits && !quantity.is_structure(); ++bit) {
            row.unchanged += sample.values[index][bit] == 0 ? 1 : 0;
        }
    }
    row.bit_correlation = mean_correlation(index, 0, bits, samples);
    row.partner_correlation =
        mean_correlation(index, bits, samples.front().values[index].size(), samples);
    row.verdicts.assign(bits, BitVerdict::not_judged);
    return row;
}

} // namespace

BitVerdict bit_verdict(Verdict verdict) {
    return verdict == Verdict::within    ? BitVerdict::within
           : verdict == Verdict::outside ? BitVerdict::outside
                                         : BitVerdict::undecided;
}

std::vector<Quantity> quantities_of(const Sight &sight) {
    std::vector<Quantity> list;
    for (std::size_t i = 0; i < sight.fields.size(); ++i) {
        const SeenField &field = sight.fields[i];
        const auto add = [&](const char *distance, Way way, bool judged) {
            list.push_back({field.stage, field.step, distance, way, judged,
                            field.meaning == StageCells::mask, i});
        };
        const bool judged = !repeats_earlier(sight, i);
        switch (field.meaning) {
        case StageCells::mask:
            add("hamming", Way::hamming, judged);
            add("share", Way::share, false);
            if (field.width > 0) {
                add("components", Way::components, false);
            }
            break;
        case StageCells::count:
            add("bray_curtis", Way::bray_curtis, judged);
            add("hamming", Way::hamming, false);
            break;
        case StageCells::amount:
            add("bray_curtis", Way::bray_curtis, judged);
            add("l2", Way::l2, false);
            add("hamming", Way::hamming, false);
            break;
        case StageCells::level: // sums of heights mean nothing
            if (field.width > 0) {
                add("slope_l2", Way::slope_l2, judged);
            }
            add("l2", Way::l2, judged && field.width == 0);
            add("l1", Way::l1, false);
            add("hamming", Way::hamming, false);
            break;
        }
    }
    for (std::size_t i = 0; i < sight.numbers.size(); ++i) {
        list.push_back({"measures", {}, sight.numbers[i].name, Way::number, false, false, i});
    }
    return list;
}

double measured(const Quantity &quantity, const Sight &u, const Sight &base) {
    if (quantity.way == Way::number) {
        return u.numbers[quantity.index].value;
    }
    const SeenField &field = u.fields[quantity.index];
    const auto distances = [&] {
        return Distances(field.cells, base.fields[quantity.index].cells);
    };
    switch (quantity.way) {
    case Way::hamming:
        return distances().hamming_fraction();
    case Way::bray_curtis:
        return distances().bray_curtis();
    case Way::l1:
        return distances().mean_difference();
    case Way::l2:
        return distances().normalised_l2();
    case Way::slope_l2:
        return distances().slope_l2(field.width);
    case Way::share:
        return share_of(field);
    case Way::components:
        return components_of(field);
    case Way::number:
        break;
    }
    return 0;
}

double measured_alone(const Quantity &quantity, const Sight &sight) {
    if (quantity.is_structure()) {
        return measured(quantity, sight, sight);
    }
    return quantity.of_mask ? share_of(sight.fields[quantity.index]) : 0;
}

const char *verdict_name(BitVerdict verdict) {
    switch (verdict) {
    case BitVerdict::within:
        return "within";
    case BitVerdict::outside:
        return "outside";
    case BitVerdict::undecided:
        return "undecided";
    case BitVerdict::not_judged:
        break;
    }
    return "not judged";
}

PairedRatio pairs_of(std::size_t quantity, std::size_t bit, std::span<const SeedSample> samples,
                     std::size_t bits) {
    std::vector<double> x;
    std::vector<double> y;
    for (const SeedSample &sample : samples) {
        x.push_back(sample.values[quantity][bit]);
        y.push_back(mean_of_partners(sample.values[quantity], bits));
    }
    return {x, y};
}

SeedRows rows_of(std::span<const Quantity> quantities, std::span<const SeedSample> samples,
                 std::size_t bits, Interval margin, double level) {
    SeedRows result;
    for (std::size_t i = 0; i < quantities.size(); ++i) {
        result.rows.push_back(row_of(quantities[i], i, samples, bits));
        result.family += quantities[i].judged ? static_cast<std::int64_t>(bits) : 0;
    }
    result.confidence =
        1 - 2 * level / static_cast<double>(std::max<std::int64_t>(1, result.family));
    std::vector<PairedRatio> judged;
    std::vector<PairedRatio> structures;
    std::vector<BitVerdict *> judged_verdicts;
    std::vector<BitVerdict *> structure_verdicts;
    for (std::size_t i = 0; i < quantities.size(); ++i) {
        SeedRow &row = result.rows[i];
        // A ratio to nothing, or to what lies around 0, says nothing of a structure.
        const bool structure = quantities[i].is_structure() && row.baseline > 0;
        for (std::size_t bit = 0; bit < bits; ++bit) {
            const PairedRatio pairs = pairs_of(i, bit, samples, bits);
            const Interval interval = pairs.interval(result.confidence);
            row.ratio.push_back(pairs.value());
            row.low.push_back(interval.low);
            row.high.push_back(interval.high);
            if (quantities[i].judged) {
                judged.push_back(pairs);
                judged_verdicts.push_back(&row.verdicts[bit]);
            } else if (structure) {
                structures.push_back(pairs);
                structure_verdicts.push_back(&row.verdicts[bit]);
            }
        }
    }
    const auto settle = [&](std::span<const PairedRatio> family, std::span<BitVerdict *> targets) {
        const std::vector<Verdict> found = verdicts(family, margin, level);
        for (std::size_t i = 0; i < found.size(); ++i) {
            *targets[i] = bit_verdict(found[i]);
        }
    };
    settle(judged, judged_verdicts);
    settle(structures, structure_verdicts);
    return result;
}

double variation_of(std::span<const Quantity> quantities, std::span<const SeedSample> samples,
                    std::size_t bits, Interval margin) {
    double largest = 0;
    for (std::size_t i = 0; i < quantities.size(); ++i) {
        if (!quantities[i].judged) {
            continue;
        }
        const double baseline = mean_over(samples, [&](const SeedSample &sample) {
            return mean_of_partners(sample.values[i], bits);
        });
        if (!(baseline > 0)) {
            continue;
        }
        for (const double bound : {margin.low, margin.high}) {
            double square = 0; // of x - bound y, the mean over the bits
            for (std::size_t bit = 0; bit < bits; ++bit) {
                std::vector<double> differences;
                for (const SeedSample &sample : samples) {
                    differences.push_back(sample.values[i][bit] -
                                          bound * mean_of_partners(sample.values[i], bits));
                }
                const double error = mean_of(differences).standard_error;
                square += error * error * static_cast<double>(samples.size());
            }
            square /= static_cast<double>(bits);
            largest = std::max(largest, std::sqrt(square / (1 + bound * bound)) / baseline);
        }
    }
    return largest;
}

} // namespace karst::lab

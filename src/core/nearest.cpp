#include "core/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace karst::core {

namespace {

// Levenshtein distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row[b.size()];
}

} // namespace

std::string did_you_mean(std::string_view name, std::span<const std::string> names) {
    const std::string *nearest = nullptr;
    std::size_t least = std::min(name.size(), 2 + name.size() / 3);
    for (const std::string &candidate : names) {
        const std::size_t distance = edit_distance(name, candidate);
        if (distance < least) {
            nearest = &candidate;
            least = distance;
        }
    }
    return nearest == nullptr ? "" : "; did you mean '" + *nearest + "'?";
}

} // namespace karst::core

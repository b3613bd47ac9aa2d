// Disjoint sets of the things 0 to count - 1 (union-find, with path halving).
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace karst::core {

// Index holds count - 1. A set is known by its smallest member, whatever the order of unions.
template <class Index>
class DisjointSets {
public:
    explicit DisjointSets(std::size_t count = 0) : parent_(count) {
        std::iota(parent_.begin(), parent_.end(), Index{0});
    }

    std::size_t root(std::size_t i) {
        while (parent_[i] != i) {
            parent_[i] = parent_[parent_[i]];
            i = parent_[i];
        }
        return i;
    }
    bool apart(std::size_t a, std::size_t b) { return root(a) != root(b); }
    // False if they were one already.
    bool unite(std::size_t a, std::size_t b) {
        a = root(a);
        b = root(b);
        parent_[std::max(a, b)] = static_cast<Index>(std::min(a, b));
        return a != b;
    }

private:
    std::vector<Index> parent_;
};

} // namespace karst::core

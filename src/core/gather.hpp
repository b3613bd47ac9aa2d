// Lists that all threads fill.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/run.hpp"

namespace karst::core {

// What f(i, list) appends to the list for i from 0 to count - 1, in that order.
template <class T, class F>
std::vector<T> gather(Run &run, std::int64_t count, F &&f) {
    constexpr std::int64_t kBlock = 1 << 14;
    std::vector<std::vector<T>> blocks(static_cast<std::size_t>((count + kBlock - 1) / kBlock));
    run.for_ranges(static_cast<std::int64_t>(blocks.size()), 1,
                   [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t block = begin; block < end; ++block) {
                           auto &list = blocks[static_cast<std::size_t>(block)];
                           for (std::int64_t i = block * kBlock;
                                i < std::min(count, (block + 1) * kBlock); ++i) {
                               f(i, list);
                           }
                       }
                   });
    std::size_t size = 0;
    for (const auto &block : blocks) {
        size += block.size();
    }
    std::vector<T> all;
    all.reserve(size);
    for (auto &block : blocks) {
        all.insert(all.end(), block.begin(), block.end());
        std::vector<T>().swap(block);
    }
    return all;
}

} // namespace karst::core

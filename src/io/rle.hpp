// Life patterns in run length encoded form (.rle), as Golly and LifeWiki describe it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <karst/simulate.hpp>

namespace karst::io {

struct LiveRun {
    std::int64_t x, y, length;
    friend bool operator==(const LiveRun &, const LiveRun &) = default;
};

// Kept as runs, so that a short file of a huge pattern needs little memory.
struct Pattern {
    Extent2 extent;            // from the header; without one, the smallest that holds the runs
    std::vector<LiveRun> runs; // by row, then by x; they do not touch
    std::string rule;          // as written, with a suffix like ":T64,64"; empty: none given
};

// Throws Error(invalid_input) "NAME:LINE:COLUMN: ..." for anything that is not a two-state pattern
// of at most 2^27 cells a side, and for one that has no end mark or leaves the size of its header.
Pattern parse_rle(std::string_view text, const std::string &name);

// The same from a file of at most 1 GiB; throws Error(io_failure) too.
Pattern read_rle(const std::string &path);

// Header, then lines of at most 70 characters.
std::string format_rle(const LifeBoard &board, std::string_view rule);

} // namespace karst::io

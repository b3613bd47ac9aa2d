// A stream of bits taken from fields, for programs that test random numbers. What such a test shows
// is a property of the extraction first: docs/sensitivity.md.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include <karst/options.hpp>

#include "lab/seed_subject.hpp"

namespace karst::lab {

enum class BitSource {
    random,    // draws as agents are spawned by, of one seed, cell by cell
    key,       // the first word of that draw at cell 0, of seed after seed
    threshold, // which cells lie above the field's mean (of a mask: are set): the picture
    lowest,    // the lowest bit of each cell that holds one unit or more
};

struct BitSettings {
    BitSource source = BitSource::lowest;
    bool whitened = false;   // by von Neumann: of two bits 01 gives 0, 10 gives 1, else nothing
    std::int64_t bytes = 0;  // 1 to 2^40
    std::int64_t stride = 1; // of the cells that are used, along both axes of a map, 1 to 65536
    std::uint64_t seed = 0;  // the fields are of seed, seed + 1, ...
    std::uint32_t unit = 1;  // of `lowest`, 1 or more
};

// Of the bytes that were given.
struct BitReport {
    std::int64_t fields = 0; // that were made
    std::int64_t cells = 0;  // of them that the stride meets, of draws the bits
    std::int64_t bits = 0;   // that were taken of them, before whitening
    std::array<std::int64_t, 256> counts{};
    double ones = 0;               // share of the bits
    double entropy = 0;            // bits a byte
    double chi_square = 0;         // of the counts, 255 degrees of freedom
    double serial_correlation = 0; // of neighbouring bytes
};

// Gives `settings.bytes` bytes to `sink`, piece by piece; the first bit is the lowest of the first
// byte. No cell is used twice. `subject` may be null for draws; of its fields the last amount is
// taken, or for `threshold` the last mask, if there is one. The same bytes for every number of
// threads and every device. Throws Error(invalid_argument), Error(unsupported) where no bits come,
// Error(cancelled), what the subject and the sink throw.
BitReport extract_bits(const Subject *subject, const BitSettings &settings, const Options &options,
                       const std::function<void(std::span<const std::uint8_t>)> &sink,
                       const std::function<void(double fraction)> &progress = {});

} // namespace karst::lab

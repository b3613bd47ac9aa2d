// The measurement of a seed's bits as JSON, as text, and half done in a file.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "lab/seed_sensitivity.hpp"

namespace karst::cli {

// Without what was asked for (generator, size, ...); docs/sensitivity.md describes it.
nlohmann::ordered_json json_of(const lab::SeedReport &report);

// A table of the stages and what to make of it.
std::string text_of(const lab::SeedReport &report);

// Base seeds that are measured, kept beside a report until it is written. The file begins with a
// line that says what is measured; a line with an index, the numbers in base64 and a checksum
// follows for each base seed.
class SeedState {
public:
    // Reads `path` if it is there. Throws Error(invalid_input) for a file of another measurement
    // and for one that is none, Error(io_failure). An empty path keeps nothing.
    SeedState(std::string path, const nlohmann::ordered_json &job);

    const std::vector<lab::SeedSample> &samples() const noexcept { return samples_; }
    // Writes the file now and then.
    void keep(const lab::SeedSample &sample);
    // Writes what was not written yet.
    void write();
    void remove();

private:
    void read(const std::string &content);

    const std::string path_;
    const std::string heading_; // the first line
    std::string text_;          // the others
    std::vector<lab::SeedSample> samples_;
    double written_ = 0; // seconds, by core::clock_seconds()
    bool has_more_ = false;
};

} // namespace karst::cli

// The approved digests of a recipe's outputs: RECIPE.lock beside it.
#pragma once

#include <map>
#include <span>
#include <string>

namespace karst::cli {

// A file of an item, without its folder, and the digest of its layer as the manifest has it.
struct LayerDigest {
    std::string file;
    std::string digest;
};

class DigestLock {
public:
    // "RECIPE.lock"
    static std::string path_of(const std::string &recipe) { return recipe + ".lock"; }
    // Throws Error(invalid_input), Error(io_failure).
    static DigestLock read(const std::string &path);

    // Throws Error(requirement_failed) that names the item and the file whose digest is another
    // than the approved one, or that has none.
    void check(const std::string &item, std::span<const LayerDigest> layers) const;
    void approve(const std::string &item, std::span<const LayerDigest> layers);
    void write(const std::string &path) const;

private:
    std::map<std::string, std::map<std::string, std::string>> items_; // id, file, digest
};

} // namespace karst::cli

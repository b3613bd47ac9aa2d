// Trails that several assets of a recipe share, and several runs of it.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <karst/options.hpp>

namespace karst::cli {

// In memory up to a limit, the least used ones go first; with a folder on the disk too, a file
// each. A file that is damaged or of another key counts as none. Any thread may call it.
class RecipeCache final : public FieldCache {
public:
    // Empty folder: none. Throws Error(io_failure) if it is none and cannot be made.
    RecipeCache(std::size_t memory_limit, std::string folder);

    bool load(std::string_view key, std::span<std::byte> bytes) override;
    // A disk that takes no more is no error: the field is then made again.
    void store(std::string_view key, std::span<const std::byte> bytes) override;

private:
    struct Entry {
        std::string key;
        std::vector<std::byte> bytes;
    };

    std::string file_of(std::string_view key) const;
    bool load_file(std::string_view key, std::span<std::byte> bytes) const;
    void keep(std::string_view key, std::span<const std::byte> bytes);

    const std::size_t limit_;
    const std::string folder_;
    std::mutex mutex_;
    std::list<Entry> entries_; // the last used first
    std::map<std::string, std::list<Entry>::iterator, std::less<>> by_key_;
    std::size_t kept_ = 0; // bytes
};

} // namespace karst::cli

// Trails that several assets of a recipe share, and several runs of it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <karst/options.hpp>

namespace karst::cli {

// In memory up to a limit, the least used ones go first; with a folder on the disk too, a file
// each. A file that is damaged or of another key counts as none. Any thread may call it: of several
// that ask for one field that is not there, the first makes it and the others wait for it; each
// makes its own of a field that can be kept nowhere.
class RecipeCache final : public FieldCache {
public:
    // Empty folder: none. When `cancel` becomes true nobody waits any more. Throws
    // Error(io_failure) if the folder is none and cannot be made.
    RecipeCache(std::size_t memory_limit, std::string folder,
                const std::atomic<bool> *cancel = nullptr);

    // False: this thread is to make the field, and to store it or give up.
    bool load(std::string_view key, std::span<std::byte> bytes) override;
    // A disk that takes no more is no error: the field is then made again.
    void store(std::string_view key, std::span<const std::byte> bytes) override;
    // What this thread was to make and did not store, another may make. To be called when its job
    // has ended, however it did.
    void give_up();

private:
    using Bytes = std::shared_ptr<const std::vector<std::byte>>;
    struct Entry {
        std::string key;
        Bytes bytes;
    };

    std::string file_of(std::string_view key) const;
    bool load_file(std::string_view key, std::span<std::byte> bytes) const;
    void store_file(std::string_view key, std::span<const std::byte> bytes) const;
    // The field, or null when this thread is to make it; waits while another one does.
    Bytes find_or_claim(std::string_view key);
    // In memory, if it fits.
    void keep(std::string_view key, std::span<const std::byte> bytes);
    void release(std::string_view key);

    const std::size_t limit_;
    const std::string folder_;
    const std::atomic<bool> *cancel_;
    std::mutex mutex_; // of all below; not held while a file is read or written
    std::condition_variable released_;
    std::map<std::string, std::thread::id, std::less<>> makers_; // of fields, by key
    std::list<Entry> entries_;                                   // the last used first
    std::map<std::string, std::list<Entry>::iterator, std::less<>> by_key_;
    std::size_t kept_ = 0; // bytes
};

} // namespace karst::cli

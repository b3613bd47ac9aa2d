// Whole files or none: a file appears under its name only when every byte of it is on the disk.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/digest.hpp"

namespace karst::io {

// "-" is the standard output, and so is "-.EXT", which also says the format.
bool is_stdout(std::string_view path);

// Throws Error(io_failure) if `path` cannot become a regular file: its folder is missing or cannot
// be written, or it exists and is a folder, a device, a pipe or a link to one, or an
// open file as /dev/stdout and /dev/fd/1 name it. Creates nothing.
void check_target(const std::string &path);

// Collects bytes in a temporary file in the folder of `path`. commit() makes them appear at once
// under `path`, replacing an older file and keeping its mode (through a symbolic link: the file it
// points to). Without commit() nothing is left behind. To the standard output bytes go directly.
class OutputFile {
public:
    enum class Temporary {
        unnamed, // where the file system can (O_TMPFILE): gone even after SIGKILL
        named,   // ".karst-" and 16 random hexadecimal digits
    };

    // Throws Error(io_failure) as check_target does. When `cancel` becomes true, write() throws
    // Error(cancelled).
    explicit OutputFile(std::string path, const std::atomic<bool> *cancel = nullptr,
                        Temporary temporary = Temporary::unnamed);
    ~OutputFile();
    OutputFile(const OutputFile &) = delete;
    OutputFile &operator=(const OutputFile &) = delete;

    const std::string &path() const noexcept { return path_; }
    // CPU threads for whoever makes the bytes; 0: all that the process may use.
    int threads() const noexcept { return threads_; }
    void set_threads(int threads) noexcept { threads_ = threads; }
    // Of what was written up to now.
    std::uint64_t bytes() const noexcept { return bytes_; }
    std::uint64_t digest() const { return digest_.value(); } // XXH3-64

    // Each throws Error(io_failure) that names the path and the system's reason.
    void write(const void *bytes, std::size_t size);
    void write(std::string_view text) { write(text.data(), text.size()); }
    // Forces the bytes to the disk, so that a full disk shows before anything gets its name.
    void finish();
    // finish(), and no file is open any more: the bytes wait under a temporary name, which stays if
    // the process is killed. Nothing can be written then.
    void park();
    // park(), then the name.
    void commit();

private:
    [[noreturn]] void fail(int error) const;
    bool open_unnamed();
    void open_named();
    void link_unnamed();
    bool close_descriptor();

    std::string path_;      // as the caller wrote it, for messages
    std::string target_;    // links resolved
    std::string folder_;    // of target_
    std::string temporary_; // empty: none on the disk
    const std::atomic<bool> *cancel_;
    int threads_ = 0;
    std::uint64_t bytes_ = 0;
    core::ByteDigest digest_;
    int descriptor_ = -1;
    bool finished_ = false;
    std::uint64_t begun_ = 0; // bytes that are on their way to the disk
};

// A whole file of this text. Throws as OutputFile does.
void write_file(const std::string &path, std::string_view text);

// Files that get their names together, when every byte of all of them is on the disk. Until then
// they stay open without a name, where the file system can, and are gone if the process is killed.
// When the OutputFiles of the process together have half of the descriptors that it may open, the
// oldest of these here are parked under temporary names, which a killed process leaves.
class OutputFiles {
public:
    explicit OutputFiles(const std::atomic<bool> *cancel = nullptr, int threads = 0);

    // It stays where it is, and may be written until kWritable others were added. Throws as
    // OutputFile does.
    OutputFile &add(const std::string &path);
    // Finishes all, then gives them their names. What fails before the first name leaves nothing.
    void commit();

    std::vector<std::string> paths() const;

private:
    static constexpr std::size_t kWritable = 16;

    const std::atomic<bool> *cancel_;
    const std::uint64_t most_open_; // files of the process
    int threads_;                   // as OutputFile::threads
    std::vector<std::unique_ptr<OutputFile>> files_;
    std::size_t parked_ = 0; // of them, the first ones
};

// The size and the XXH3-64 of a file's bytes; nothing if there is no such regular file. Throws
// Error(io_failure) if it cannot be read.
struct FileDigest {
    std::uint64_t bytes = 0;
    std::uint64_t digest = 0;
    friend bool operator==(const FileDigest &, const FileDigest &) = default;
};
std::optional<FileDigest> digest_file(const std::string &path);

// The whole content of a file. Throws Error(io_failure) if it cannot be read and
// Error(invalid_input) if it is larger than `limit` bytes.
std::string read_file(const std::string &path, std::size_t limit);

} // namespace karst::io

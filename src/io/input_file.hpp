// A file that is read piece by piece, its length known before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace karst::io {

class InputFile {
public:
    // Throws Error(io_failure) if `path` is missing, cannot be read or is no regular file.
    explicit InputFile(const std::string &path);
    // The bytes of a file that was read before; `path` is its name in messages, and the bytes must
    // outlive it.
    InputFile(const std::string &path, std::string_view bytes);

    const std::string &path() const noexcept { return path_; }
    std::uint64_t bytes() const noexcept { return bytes_; } // of the whole file
    std::FILE *stream() const noexcept { return file_.get(); }

    // Exactly `size` bytes. Throws Error(invalid_input) "FILE: the file ends early; allowed is
    // WHOLE" if there are fewer, Error(io_failure).
    void read(void *target, std::size_t size, const char *whole);
    // At most `size` bytes; fewer only at the end of the file. Throws Error(io_failure).
    std::size_t read_some(void *target, std::size_t size);
    // The whole file, if nothing was read before. Throws Error(invalid_input) if it is larger than
    // `limit` bytes, Error(io_failure).
    std::string read_all(std::uint64_t limit);

    // Throw for this file: Error(invalid_input) "FILE: what", Error(io_failure) with the system's
    // reason of `error`.
    [[noreturn]] void refuse(const std::string &what) const;
    [[noreturn]] void cannot_read(int error) const;

private:
    std::string path_;
    std::unique_ptr<std::FILE, int (*)(std::FILE *)> file_;
    std::uint64_t bytes_ = 0;
};

} // namespace karst::io

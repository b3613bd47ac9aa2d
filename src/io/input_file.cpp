#include "io/input_file.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <karst/error.hpp>

namespace karst::io {

namespace {

// Without waiting for the writer of a pipe, which is refused.
std::FILE *open_at_once(const std::string &path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) {
        return nullptr;
    }
    std::FILE *const file = ::fdopen(descriptor, "rb");
    if (file == nullptr) {
        ::close(descriptor);
    }
    return file;
}

} // namespace

InputFile::InputFile(const std::string &path)
    : path_(path), file_(open_at_once(path), &std::fclose) {
    struct stat status;
    if (file_ == nullptr || ::fstat(::fileno(file_.get()), &status) != 0) {
        cannot_read(errno);
    }
    if (!S_ISREG(status.st_mode)) {
        throw Error(ErrorCode::io_failure, "cannot read '" + path_ + "': it is not a regular file");
    }
    bytes_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::InputFile(const std::string &path, std::string_view bytes)
    : path_(path),
      // Opened for reading, the memory is not written.
      file_(::fmemopen(const_cast<char *>(bytes.data()), bytes.size(), "rb"), &std::fclose),
      bytes_(bytes.size()) {
    if (file_ == nullptr) {
        cannot_read(errno);
    }
}

void InputFile::read(void *target, std::size_t size, const char *whole) {
    if (read_some(target, size) != size) {
        refuse(std::string("the file ends early; allowed is ") + whole);
    }
}

std::size_t InputFile::read_some(void *target, std::size_t size) {
    const std::size_t got = std::fread(target, 1, size, file_.get());
    if (got != size && std::ferror(file_.get()) != 0) {
        cannot_read(errno);
    }
    return got;
}

std::string InputFile::read_all(std::uint64_t limit) {
    if (bytes_ > limit) {
        refuse("it is larger than " + std::to_string(limit) + " bytes, the most that is read");
    }
    std::string content(static_cast<std::size_t>(bytes_), '\0');
    content.resize(read_some(content.data(), content.size()));
    return content;
}

void InputFile::refuse(const std::string &what) const {
    throw Error(ErrorCode::invalid_input, path_ + ": " + what);
}

void InputFile::cannot_read(int error) const {
    throw Error(ErrorCode::io_failure,
                "cannot read '" + path_ + "': " + std::generic_category().message(error));
}

} // namespace karst::io

#include "io/input_file.hpp"

#include <cerrno>
#include <system_error>

#include <sys/stat.h>

#include <karst/error.hpp>

namespace karst::io {

InputFile::InputFile(const std::string &path)
    : path_(path), file_(std::fopen(path.c_str(), "rbe"), &std::fclose) {
    struct stat status;
    if (file_ == nullptr || ::fstat(::fileno(file_.get()), &status) != 0) {
        cannot_read(errno);
    }
    if (!S_ISREG(status.st_mode)) {
        throw Error(ErrorCode::io_failure, "cannot read '" + path_ + "': it is not a regular file");
    }
    bytes_ = static_cast<std::uint64_t>(status.st_size);
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

void InputFile::refuse(const std::string &what) const {
    throw Error(ErrorCode::invalid_input, path_ + ": " + what);
}

void InputFile::cannot_read(int error) const {
    throw Error(ErrorCode::io_failure,
                "cannot read '" + path_ + "': " + std::generic_category().message(error));
}

} // namespace karst::io

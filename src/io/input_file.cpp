#include "io/input_file.hpp"

#include <cerrno>
#include <system_error>

#include <karst/error.hpp>

#include "io/system.hpp"

namespace karst::io {

InputFile::InputFile(const std::string &path) : path_(path), file_(nullptr, &std::fclose) {
    bool regular = false;
    file_.reset(system::open_input(path, bytes_, regular));
    if (file_ == nullptr) {
        cannot_read(errno);
    }
    if (!regular) {
        throw Error(ErrorCode::io_failure, "cannot read '" + path_ + "': it is not a regular file");
    }
}

InputFile::InputFile(const std::string &path, std::string_view bytes)
    : path_(path), file_(system::open_memory(bytes), &std::fclose), bytes_(bytes.size()) {
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

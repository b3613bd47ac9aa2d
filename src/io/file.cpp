#include "io/file.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <karst/error.hpp>

#include "io/input_file.hpp"

namespace karst::io {

namespace {

std::atomic<std::uint64_t> open_outputs{0}; // OutputFiles that have a descriptor, of all threads

std::string reason(int error) {
    return std::generic_category().message(error);
}

[[noreturn]] void refuse(const std::string &path, const std::string &why) {
    throw Error(ErrorCode::io_failure, "cannot write '" + path + "': " + why);
}

std::string folder_of(const std::string &path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}

std::string kind_of(mode_t mode) {
    if (S_ISDIR(mode)) {
        return "a folder";
    }
    if (S_ISCHR(mode) || S_ISBLK(mode)) {
        return "a device";
    }
    return S_ISFIFO(mode) ? "a pipe" : "a socket";
}

// Whether `path` lies in /proc, or a link on its way does, as /dev/stdout and /dev/fd/1 are. Such a
// link names an open file: to replace that by a new one would lose what a shell appends to it.
bool lies_in_proc(std::filesystem::path path) {
    constexpr int kMostLinks = 40; // as many as Linux follows
    for (int links = 0; links < kMostLinks; ++links) {
        std::error_code error;
        const auto folder = std::filesystem::canonical(folder_of(path.string()), error);
        struct statfs system;
        if (error || ::statfs(folder.c_str(), &system) != 0) {
            return false;
        }
        if (system.f_type == PROC_SUPER_MAGIC) {
            return true;
        }
        const auto next = std::filesystem::read_symlink(path, error);
        if (error) {
            return false;
        }
        path = folder / next;
    }
    return false;
}

// The file that a write to `path` replaces: `path` itself, or what its symbolic link points to.
std::string resolved(const std::string &path) {
    struct stat status;
    if (path.empty() || path.back() == '/') {
        refuse(path, "it names no file");
    }
    if (lies_in_proc(path)) {
        refuse(path, "it names an open file in /proc; allowed is - for the standard output");
    }
    if (::lstat(path.c_str(), &status) != 0) {
        if (errno == ENOENT) {
            return path;
        }
        refuse(path, reason(errno));
    }
    std::string target = path;
    if (S_ISLNK(status.st_mode)) {
        const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                               &std::free);
        if (real == nullptr || ::stat(real.get(), &status) != 0) {
            refuse(path, "it is a symbolic link: " + reason(errno));
        }
        target = real.get();
    }
    if (!S_ISREG(status.st_mode)) {
        refuse(path, "it is " + kind_of(status.st_mode) +
                         "; allowed is a new name, a regular file or - for the standard output");
    }
    if (::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0) {
        refuse(path, reason(errno));
    }
    return target;
}

std::string checked_target(const std::string &path) {
    std::string target = resolved(path);
    const std::string folder = folder_of(target);
    struct stat status;
    if (::stat(folder.c_str(), &status) != 0) {
        refuse(path, "its folder '" + folder + "': " + reason(errno));
    }
    if (!S_ISDIR(status.st_mode)) {
        refuse(path, "'" + folder + "' is not a folder");
    }
    if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
        refuse(path, "its folder '" + folder + "': " + reason(errno));
    }
    return target;
}

std::string random_name(const std::string &folder) {
    std::random_device random;
    char name[32];
    std::snprintf(name, sizeof name, "/.karst-%08x%08x", random(), random());
    return folder + name;
}

std::string descriptor_path(int descriptor) {
    return "/proc/self/fd/" + std::to_string(descriptor);
}

// Calls f() with fresh names until it does not fail with EEXIST. Returns the name; empty: failed.
template <class F>
std::string with_fresh_name(const std::string &folder, F f) {
    for (int attempt = 0; attempt < 100; ++attempt) {
        std::string name = random_name(folder);
        if (f(name.c_str())) {
            return name;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    return {};
}

// Gives the bytes of a file to f(block, size), one block after another.
template <class F>
void read_blocks(const std::string &path, F &&f) {
    InputFile file(path);
    char block[1 << 16];
    while (const std::size_t size = file.read_some(block, sizeof block)) {
        f(block, size);
    }
}

} // namespace

bool is_stdout(std::string_view path) {
    return path == "-" || (path.starts_with("-.") && path.find('/') == path.npos);
}

void check_target(const std::string &path) {
    if (!is_stdout(path)) {
        checked_target(path);
    }
}

OutputFile::OutputFile(std::string path, const std::atomic<bool> *cancel, Temporary temporary)
    : path_(std::move(path)), cancel_(cancel) {
    if (is_stdout(path_)) {
        descriptor_ = STDOUT_FILENO;
        return;
    }
    target_ = checked_target(path_);
    folder_ = folder_of(target_);
    if (temporary == Temporary::named || !open_unnamed()) {
        open_named();
    }
    ++open_outputs;
    struct stat old;
    if (::stat(target_.c_str(), &old) == 0) { // the mode stays, where the file system has modes
        ::fchmod(descriptor_, old.st_mode & 0777);
    }
}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0 && !is_stdout(path_)) {
        close_descriptor();
    }
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
    }
}

void OutputFile::fail(int error) const {
    refuse(is_stdout(path_) ? "standard output" : path_, reason(error));
}

// False where the file system has no unnamed files, or no /proc gives them a name later.
bool OutputFile::open_unnamed() {
    descriptor_ = ::open(folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor_ >= 0 && ::access(descriptor_path(descriptor_).c_str(), F_OK) != 0) {
        ::close(descriptor_);
        descriptor_ = -1;
    }
    return descriptor_ >= 0;
}

void OutputFile::open_named() {
    temporary_ = with_fresh_name(folder_, [this](const char *name) {
        descriptor_ = ::open(name, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0666);
        return descriptor_ >= 0;
    });
    if (temporary_.empty()) {
        fail(errno);
    }
}

void OutputFile::link_unnamed() {
    const std::string source = descriptor_path(descriptor_);
    temporary_ = with_fresh_name(folder_, [&source](const char *name) {
        return ::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
    });
    if (temporary_.empty()) {
        fail(errno);
    }
}

void OutputFile::write(const void *bytes, std::size_t size) {
    constexpr std::size_t kBlock = std::size_t{16} << 20; // between two looks at the cancel switch
    const char *next = static_cast<const char *>(bytes);
    while (size > 0) {
        if (cancel_ != nullptr && cancel_->load(std::memory_order_relaxed)) {
            throw Error(ErrorCode::cancelled, "cancelled while writing '" + path_ + "'");
        }
        const ssize_t written = ::write(descriptor_, next, std::min(size, kBlock));
        if (written < 0) {
            if (errno == EINTR) {
                continue;
            }
            fail(errno);
        }
        digest_.add(next, static_cast<std::size_t>(written));
        bytes_ += static_cast<std::uint64_t>(written);
        next += written;
        size -= static_cast<std::size_t>(written);
    }
    if (bytes_ - begun_ >= kBlock && !is_stdout(path_)) {
        // The disk begins with them, so that finish() waits for less.
        ::sync_file_range(descriptor_, static_cast<off64_t>(begun_),
                          static_cast<off64_t>(bytes_ - begun_), SYNC_FILE_RANGE_WRITE);
        begun_ = bytes_;
    }
}

void OutputFile::finish() {
    if (is_stdout(path_) || finished_) {
        return;
    }
    if (::fsync(descriptor_) != 0) {
        fail(errno);
    }
    finished_ = true;
}

void OutputFile::park() {
    if (is_stdout(path_) || descriptor_ < 0) {
        return;
    }
    finish();
    if (temporary_.empty()) {
        link_unnamed();
    }
    if (close_descriptor() != 0) {
        fail(errno);
    }
}

int OutputFile::close_descriptor() {
    --open_outputs;
    return ::close(std::exchange(descriptor_, -1));
}

void OutputFile::commit() {
    if (is_stdout(path_)) {
        return;
    }
    park();
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
        fail(errno);
    }
    temporary_.clear();
    const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) { // a folder that cannot be opened or synced: the file is there all the same
        ::fsync(folder);
        ::close(folder);
    }
}

void write_file(const std::string &path, std::string_view text) {
    OutputFile file(path);
    file.write(text);
    file.commit();
}

namespace {

// Half of the descriptors that the process may open: the rest is for what it reads.
std::uint64_t most_open_outputs() {
    struct rlimit limit;
    return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur / 2 : 0;
}

} // namespace

OutputFiles::OutputFiles(const std::atomic<bool> *cancel, int threads)
    : cancel_(cancel), most_open_(most_open_outputs()), threads_(threads) {}

OutputFile &OutputFiles::add(const std::string &path) {
    while (open_outputs >= most_open_ && parked_ + kWritable <= files_.size()) {
        files_[parked_++]->park();
    }
    OutputFile &file = *files_.emplace_back(std::make_unique<OutputFile>(path, cancel_));
    file.set_threads(threads_);
    return file;
}

void OutputFiles::commit() {
    for (const auto &file : files_) {
        file->finish();
    }
    if (cancel_ != nullptr && *cancel_) {
        throw Error(ErrorCode::cancelled, "cancelled before the files got their names");
    }
    for (const auto &file : files_) {
        file->commit();
    }
}

std::vector<std::string> OutputFiles::paths() const {
    std::vector<std::string> paths;
    for (const auto &file : files_) {
        paths.push_back(file->path());
    }
    return paths;
}

std::optional<FileDigest> digest_file(const std::string &path) {
    struct stat status;
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
        return std::nullopt;
    }
    FileDigest found;
    core::ByteDigest digest;
    read_blocks(path, [&](const char *block, std::size_t size) {
        digest.add(block, size);
        found.bytes += size;
    });
    found.digest = digest.value();
    return found;
}

std::string read_file(const std::string &path, std::size_t limit) {
    std::string content;
    read_blocks(path, [&](const char *block, std::size_t size) {
        if (size > limit - content.size()) {
            throw Error(ErrorCode::invalid_input, "'" + path + "' is larger than " +
                                                      std::to_string(limit) +
                                                      " bytes, the most that is read");
        }
        content.append(block, size);
    });
    return content;
}

} // namespace karst::io

#include "io/system.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <karst/error.hpp>

namespace karst::io::system {

namespace {

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

std::string descriptor_path(int descriptor) {
    return "/proc/self/fd/" + std::to_string(descriptor);
}

} // namespace

void refuse(const std::string &path, const std::string &why) {
    throw Error(ErrorCode::io_failure, "cannot write '" + path + "': " + why);
}

std::string reason(int error) {
    return std::generic_category().message(error);
}

std::string folder_of(const std::string &path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
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

int standard_output() {
    return STDOUT_FILENO;
}

int open_unnamed(const std::string &folder) {
    const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor >= 0 && ::access(descriptor_path(descriptor).c_str(), F_OK) != 0) {
        ::close(descriptor);
        return -1;
    }
    return descriptor;
}

int open_new(const char *name) {
    return ::open(name, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0666);
}

bool give_name(int descriptor, const std::string &name) {
    return ::linkat(AT_FDCWD, descriptor_path(descriptor).c_str(), AT_FDCWD, name.c_str(),
                    AT_SYMLINK_FOLLOW) == 0;
}

void take_mode(int descriptor, const std::string &path) {
    struct stat old;
    if (::stat(path.c_str(), &old) == 0) { // where the file system has modes
        ::fchmod(descriptor, old.st_mode & 0777);
    }
}

std::ptrdiff_t write(int descriptor, const void *bytes, std::size_t size) {
    return ::write(descriptor, bytes, size);
}

void begin_sync(int descriptor, std::uint64_t from, std::uint64_t bytes) {
    ::sync_file_range(descriptor, static_cast<off64_t>(from), static_cast<off64_t>(bytes),
                      SYNC_FILE_RANGE_WRITE);
}

bool sync(int descriptor) {
    return ::fsync(descriptor) == 0;
}

bool close(int descriptor) {
    return ::close(descriptor) == 0;
}

bool replace(const std::string &from, const std::string &to) {
    if (::rename(from.c_str(), to.c_str()) != 0) {
        return false;
    }
    const int folder = open_folder(folder_of(to));
    if (folder >= 0) { // a folder that cannot be opened or synced: the file is there all the same
        ::fsync(folder);
        ::close(folder);
    }
    return true;
}

void remove(const std::string &name) {
    ::unlink(name.c_str());
}

bool is_file(const std::string &path) {
    struct stat status;
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::uint64_t most_open_files() {
    struct rlimit limit;
    return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

std::FILE *open_input(const std::string &path, std::uint64_t &bytes, bool &regular) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) {
        return nullptr;
    }
    struct stat status;
    std::FILE *const file =
        ::fstat(descriptor, &status) == 0 ? ::fdopen(descriptor, "rb") : nullptr;
    if (file == nullptr) {
        const int error = errno;
        ::close(descriptor);
        errno = error;
        return nullptr;
    }
    bytes = static_cast<std::uint64_t>(status.st_size);
    regular = S_ISREG(status.st_mode);
    return file;
}

std::FILE *open_memory(std::string_view bytes) {
    // Opened for reading, the memory is not written.
    return ::fmemopen(const_cast<char *>(bytes.data()), bytes.size(), "rb");
}

int open_folder(const std::string &folder) {
    return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

Lock try_lock(int folder) {
    if (::flock(folder, LOCK_EX | LOCK_NB) == 0) {
        return Lock::taken;
    }
    return errno == EWOULDBLOCK || errno == EINTR ? Lock::held : Lock::impossible;
}

} // namespace karst::io::system

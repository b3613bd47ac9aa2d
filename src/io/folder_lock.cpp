#include "io/folder_lock.hpp"

#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace karst::io {

FolderLock::FolderLock(const std::string &path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    folder_ = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (folder_ >= 0 && ::flock(folder_, LOCK_EX) != 0 && errno == EINTR) {
    }
}

FolderLock::~FolderLock() {
    if (folder_ >= 0) {
        ::close(folder_);
    }
}

} // namespace karst::io

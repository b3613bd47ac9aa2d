#include "io/folder_lock.hpp"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace karst::io {

FolderLock::FolderLock(const std::string &path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    folder_ = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // Whoever started this program may hold the lock until it ends.
    constexpr int kTries = 100;
    for (int i = 0; folder_ >= 0 && i < kTries && ::flock(folder_, LOCK_EX | LOCK_NB) != 0; ++i) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            break; // a file system without locks
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

FolderLock::~FolderLock() {
    if (folder_ >= 0) {
        ::close(folder_);
    }
}

} // namespace karst::io

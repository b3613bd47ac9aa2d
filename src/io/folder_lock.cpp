#include "io/folder_lock.hpp"

#include <chrono>
#include <thread>

#include "io/system.hpp"

namespace karst::io {

FolderLock::FolderLock(const std::string &path)
    : folder_(system::open_folder(system::folder_of(path))) {
    // Whoever started this program may hold the lock until it ends.
    constexpr int kTries = 100;
    for (int i = 0; folder_ >= 0 && i < kTries; ++i) {
        if (system::try_lock(folder_) != system::Lock::held) {
            break; // it is ours, or the file system has no locks
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

FolderLock::~FolderLock() {
    if (folder_ >= 0) {
        system::close(folder_);
    }
}

} // namespace karst::io

// One process at a time where a file is read, changed and replaced.
#pragma once

#include <string>

namespace karst::io {

// Others that lock the folder of the same file wait until this one is gone, but at most two
// seconds: then they go on without. The folder itself is
// locked, as the file in it comes and goes, so nothing is left behind. Without effect where there
// is no such folder or the file system has no locks.
class FolderLock {
public:
    explicit FolderLock(const std::string &path);
    ~FolderLock();
    FolderLock(const FolderLock &) = delete;
    FolderLock &operator=(const FolderLock &) = delete;

private:
    int folder_;
};

} // namespace karst::io

#include "io/system.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <sys/stat.h>
#include <windows.h>

#include <karst/error.hpp>

namespace karst::io::system {

namespace {

// UTF-16, as Windows wants it. std::filesystem would ask the locale.
std::wstring wide(const std::string &path) {
    const int size = ::MultiByteToWideChar(CP_UTF8, 0, path.c_str(), -1, nullptr, 0);
    std::wstring result(static_cast<std::size_t>(std::max(size, 1)), L'\0');
    ::MultiByteToWideChar(CP_UTF8, 0, path.c_str(), -1, result.data(), size);
    result.pop_back(); // its zero
    return result;
}

DWORD attributes_of(const std::string &path) {
    return ::GetFileAttributesW(wide(path).c_str());
}

bool is_folder(DWORD attributes) {
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

// What errno is for the last error of Windows.
int last_error() {
    switch (::GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
        return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
        return EACCES;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
        return ENOSPC;
    default:
        return EIO;
    }
}

} // namespace

void refuse(const std::string &path, const std::string &why) {
    throw Error(ErrorCode::io_failure, "cannot write '" + path + "': " + why);
}

std::string reason(int error) {
    return std::generic_category().message(error);
}

std::string folder_of(const std::string &path) {
    const auto end = path.find_last_of("/\\:");
    if (end == std::string::npos) {
        return ".";
    }
    const bool root = end == 0 || path[end] == ':' || path[end - 1] == ':';
    return path.substr(0, root ? end + 1 : end);
}

std::string checked_target(const std::string &path) {
    if (path.empty() || path.back() == '/' || path.back() == '\\') {
        refuse(path, "it names no file");
    }
    wchar_t whole[MAX_PATH + 1];
    const DWORD length = ::GetFullPathNameW(wide(path).c_str(), MAX_PATH, whole, nullptr);
    if (length > 3 && length < MAX_PATH && std::wstring_view(whole).starts_with(L"\\\\.\\")) {
        refuse(path, "it is a device"); // NUL, CON, COM1 and the like, in every folder
    }
    const std::string folder = folder_of(path);
    const DWORD its = attributes_of(folder);
    if (its == INVALID_FILE_ATTRIBUTES) {
        refuse(path, "its folder '" + folder + "': " + reason(ENOENT));
    }
    if (!is_folder(its)) {
        refuse(path, "'" + folder + "' is not a folder");
    }
    const DWORD attributes = attributes_of(path);
    if (is_folder(attributes)) {
        refuse(path, "it is a folder; allowed is a new name, a regular file or - for the standard "
                     "output");
    }
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_READONLY) != 0) {
        refuse(path, reason(EACCES));
    }
    return path;
}

int standard_output() {
    ::_setmode(1, _O_BINARY);
    return 1;
}

int open_unnamed(const std::string &) {
    return -1;
}

int open_new(const char *name) {
    int descriptor = -1;
    const errno_t error = ::_wsopen_s(&descriptor, wide(name).c_str(),
                                      _O_CREAT | _O_EXCL | _O_WRONLY | _O_BINARY | _O_NOINHERIT,
                                      _SH_DENYNO, _S_IREAD | _S_IWRITE);
    if (error != 0) {
        errno = error;
        return -1;
    }
    return descriptor;
}

bool give_name(int, const std::string &) {
    errno = ENOSYS; // no file is without one
    return false;
}

void take_mode(int, const std::string &) {}

std::ptrdiff_t write(int descriptor, const void *bytes, std::size_t size) {
    return ::_write(descriptor, bytes,
                    static_cast<unsigned int>(std::min(size, std::size_t{INT_MAX})));
}

void begin_sync(int, std::uint64_t, std::uint64_t) {}

bool sync(int descriptor) {
    return ::_commit(descriptor) == 0;
}

bool close(int descriptor) {
    return ::_close(descriptor) == 0;
}

bool replace(const std::string &from, const std::string &to) {
    if (::MoveFileExW(wide(from).c_str(), wide(to).c_str(),
                      MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) == 0) {
        errno = last_error();
        return false;
    }
    return true;
}

void remove(const std::string &name) {
    ::DeleteFileW(wide(name).c_str());
}

bool is_file(const std::string &path) {
    const DWORD attributes = attributes_of(path);
    return attributes != INVALID_FILE_ATTRIBUTES && !is_folder(attributes);
}

std::uint64_t most_open_files() {
    return 8192; // of the C library
}

std::FILE *open_input(const std::string &path, std::uint64_t &bytes, bool &regular) {
    std::FILE *const file = ::_wfopen(wide(path).c_str(), L"rbN");
    struct _stat64 status;
    if (file == nullptr) {
        if (is_folder(attributes_of(path))) {
            errno = EISDIR;
        }
        return nullptr;
    }
    if (::_fstat64(::_fileno(file), &status) != 0) {
        std::fclose(file);
        return nullptr;
    }
    bytes = static_cast<std::uint64_t>(status.st_size);
    regular = (status.st_mode & _S_IFMT) == _S_IFREG;
    return file;
}

// By a file that is gone when it is closed, and that the cache of the system keeps in memory.
std::FILE *open_memory(std::string_view bytes) {
    wchar_t folder[MAX_PATH + 1];
    wchar_t name[MAX_PATH + 1];
    if (::GetTempPathW(MAX_PATH, folder) == 0 || ::GetTempFileNameW(folder, L"kar", 0, name) == 0) {
        errno = last_error();
        return nullptr;
    }
    std::FILE *const file = ::_wfopen(name, L"w+bTD");
    if (file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() &&
        std::fseek(file, 0, SEEK_SET) == 0) {
        return file;
    }
    if (file != nullptr) {
        std::fclose(file);
    }
    return nullptr;
}

// A folder has no lock here: a file in it that is gone when it is closed.
int open_folder(const std::string &folder) {
    const HANDLE handle =
        ::CreateFileW((wide(folder) + L"\\.karst-lock").c_str(), GENERIC_WRITE | DELETE,
                      FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, OPEN_ALWAYS,
                      FILE_ATTRIBUTE_HIDDEN | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
    return handle == INVALID_HANDLE_VALUE
               ? -1
               : ::_open_osfhandle(reinterpret_cast<std::intptr_t>(handle), _O_WRONLY);
}

Lock try_lock(int folder) {
    const auto handle = reinterpret_cast<HANDLE>(::_get_osfhandle(folder));
    if (::LockFile(handle, 0, 0, 1, 0) != 0) {
        return Lock::taken;
    }
    return ::GetLastError() == ERROR_LOCK_VIOLATION ? Lock::held : Lock::impossible;
}

} // namespace karst::io::system

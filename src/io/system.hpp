// What file.cpp, input_file.cpp and folder_lock.cpp ask of the operating system: system_posix.cpp
// and system_windows.cpp. Descriptors are those of the C library. What can fail leaves the reason
// in errno. Names are UTF-8 on every system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace karst::io::system {

// Error(io_failure): "cannot write 'PATH': WHY".
[[noreturn]] void refuse(const std::string &path, const std::string &why);
std::string reason(int error);

std::string folder_of(const std::string &path);
// The file that a write to `path` replaces, links resolved. Throws as io::check_target does.
std::string checked_target(const std::string &path);

int standard_output();
// A file for writing that has no name; -1 where the file system has none, or gives none a name
// later.
int open_unnamed(const std::string &folder);
// A new file for writing; -1: failed, EEXIST if there is one of this name.
int open_new(const char *name);
bool give_name(int descriptor, const std::string &name);
// The mode of the file at `path`, if there is one, for the open one.
void take_mode(int descriptor, const std::string &path);
std::ptrdiff_t write(int descriptor, const void *bytes, std::size_t size);
// The disk begins with these bytes of the file, so that sync() waits for less.
void begin_sync(int descriptor, std::uint64_t from, std::uint64_t bytes);
bool sync(int descriptor);
bool close(int descriptor);
// Gives a whole file another name at once, whether or not there is a file of that name.
bool replace(const std::string &from, const std::string &to);
void remove(const std::string &name);
bool is_file(const std::string &path);
// Descriptors that the process may have.
std::uint64_t most_open_files();

// For reading, without waiting for the writer of a pipe; null: failed. `regular`: it is a file.
std::FILE *open_input(const std::string &path, std::uint64_t &bytes, bool &regular);
std::FILE *open_memory(std::string_view bytes);

// What stands for the folder while one process has it; -1: no such folder.
int open_folder(const std::string &folder);
enum class Lock { taken, held, impossible };
Lock try_lock(int folder);

} // namespace karst::io::system

// What the program asks of the operating system: system_posix.cpp and system_windows.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace karst::cli::system {

// The words of the command line, in UTF-8. The result stays as long as the process.
std::vector<char *> arguments(int argc, char **argv);

// As many open files as the process may have, so that outputs of many files stay without names
// until all are whole (io::OutputFiles).
void raise_file_limit();

// Calls `stop` for what asks the program to end; it may come more than once. A closed pipe and a
// file limit are errors of the write.
void on_signals(void (*stop)(int number));

// Whether people read the standard error, on a terminal that can clear a line.
bool error_is_terminal();

// What tells that a file was written again, under its old name or by a new file in its place.
struct FileStamp {
    std::int64_t seconds = 0, nanoseconds = 0, size = -1, file = 0;
    friend bool operator==(const FileStamp &, const FileStamp &) = default;
};
FileStamp stamp_of(const std::string &path);

} // namespace karst::cli::system

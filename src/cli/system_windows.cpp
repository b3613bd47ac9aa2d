#include "cli/system.hpp"

#include <codecvt>
#include <csignal>
#include <filesystem>
#include <locale>

#include <fcntl.h>
#include <io.h>
#include <windows.h>
// After it.
#include <shellapi.h>

namespace karst::cli::system {

namespace {

void (*on_stop)(int) = nullptr;

// The C library forgets a handler when it calls it.
extern "C" void stop_again(int number) {
    std::signal(number, stop_again);
    on_stop(number == SIGBREAK ? SIGINT : number);
}

std::string utf8(const wchar_t *text) {
    const int size = ::WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr);
    std::string result(static_cast<std::size_t>(size), '\0');
    ::WideCharToMultiByte(CP_UTF8, 0, text, -1, result.data(), size, nullptr, nullptr);
    result.resize(result.size() - 1); // its zero
    return result;
}

} // namespace

// The ones of main() are in the code page of the system. Also makes std::filesystem read names as
// UTF-8, as it writes them, and lets text out as it is, with the same ends of lines as elsewhere.
std::vector<char *> arguments(int argc, char **argv) {
    std::locale::global(std::locale(std::locale(), new std::codecvt_utf8_utf16<wchar_t>));
    ::_setmode(1, _O_BINARY);
    ::_setmode(2, _O_BINARY);
    ::SetConsoleOutputCP(CP_UTF8);
    int count = 0;
    wchar_t **const words = ::CommandLineToArgvW(::GetCommandLineW(), &count);
    if (words == nullptr) {
        return {argv, argv + argc};
    }
    static std::vector<std::string> text;
    text.clear();
    for (int i = 0; i < count; ++i) {
        text.push_back(utf8(words[i]));
    }
    ::LocalFree(words);
    std::vector<char *> result;
    for (auto &word : text) {
        result.push_back(word.data());
    }
    return result;
}

void raise_file_limit() {}

void on_signals(void (*stop)(int number)) {
    on_stop = stop;
    for (const int number : {SIGINT, SIGTERM, SIGBREAK}) {
        std::signal(number, stop_again);
    }
}

bool error_is_terminal() {
    const HANDLE console = ::GetStdHandle(STD_ERROR_HANDLE);
    DWORD mode = 0;
    return ::GetConsoleMode(console, &mode) != 0 &&
           ::SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

FileStamp stamp_of(const std::string &path) {
    WIN32_FILE_ATTRIBUTE_DATA data;
    if (::GetFileAttributesExW(std::filesystem::path(path).c_str(), GetFileExInfoStandard, &data) ==
        0) {
        return {};
    }
    const auto join = [](DWORD high, DWORD low) {
        return static_cast<std::int64_t>(std::uint64_t{high} << 32 | low);
    };
    return {join(data.ftLastWriteTime.dwHighDateTime, data.ftLastWriteTime.dwLowDateTime), 0,
            join(data.nFileSizeHigh, data.nFileSizeLow),
            join(data.ftCreationTime.dwHighDateTime, data.ftCreationTime.dwLowDateTime)};
}

} // namespace karst::cli::system

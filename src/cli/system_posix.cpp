#include "cli/system.hpp"

#include <algorithm>

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace karst::cli::system {

std::vector<char *> arguments(int argc, char **argv) {
    return {argv, argv + argc};
}

void raise_file_limit() {
    constexpr rlim_t kEnough = 65536;
    struct rlimit limit;
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < kEnough) {
        limit.rlim_cur = std::min(kEnough, limit.rlim_max);
        ::setrlimit(RLIMIT_NOFILE, &limit); // with fewer, files wait under temporary names
    }
}

void on_signals(void (*stop)(int number)) {
    struct sigaction action = {};
    action.sa_handler = stop;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGXFSZ, SIG_IGN);
}

bool error_is_terminal() {
    return ::isatty(STDERR_FILENO) != 0;
}

FileStamp stamp_of(const std::string &path) {
    struct stat status;
    if (::stat(path.c_str(), &status) != 0) {
        return {};
    }
    return {status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
            static_cast<std::int64_t>(status.st_size), static_cast<std::int64_t>(status.st_ino)};
}

} // namespace karst::cli::system

#include "io/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <utility>

#include <karst/error.hpp>

#include "io/input_file.hpp"
#include "io/system.hpp"

namespace karst::io {

namespace {

std::atomic<std::uint64_t> open_outputs{0}; // OutputFiles that have a descriptor, of all threads

std::string random_name(const std::string &folder) {
    std::random_device random;
    char name[32];
    std::snprintf(name, sizeof name, "/.karst-%08x%08x", random(), random());
    return folder + name;
}

// Calls f() with fresh names until it does not fail with EEXIST. Returns the name; empty: failed.
template <class F>
std::string with_fresh_name(const std::string &folder, F f) {
    for (int attempt = 0; attempt < 100; ++attempt) {
        std::string name = random_name(folder);
        if (f(name.c_str())) {
            return name;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    return {};
}

// Gives the bytes of a file to f(block, size), one block after another.
template <class F>
void read_blocks(const std::string &path, F &&f) {
    InputFile file(path);
    char block[1 << 16];
    while (const std::size_t size = file.read_some(block, sizeof block)) {
        f(block, size);
    }
}

} // namespace

bool is_stdout(std::string_view path) {
    return path == "-" || (path.starts_with("-.") && path.find('/') == path.npos);
}

void check_target(const std::string &path) {
    if (!is_stdout(path)) {
        system::checked_target(path);
    }
}

OutputFile::OutputFile(std::string path, const std::atomic<bool> *cancel, Temporary temporary)
    : path_(std::move(path)), cancel_(cancel) {
    if (is_stdout(path_)) {
        descriptor_ = system::standard_output();
        return;
    }
    target_ = system::checked_target(path_);
    folder_ = system::folder_of(target_);
    if (temporary == Temporary::named || !open_unnamed()) {
        open_named();
    }
    ++open_outputs;
    system::take_mode(descriptor_, target_);
}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0 && !is_stdout(path_)) {
        close_descriptor();
    }
    if (!temporary_.empty()) {
        system::remove(temporary_);
    }
}

void OutputFile::fail(int error) const {
    system::refuse(is_stdout(path_) ? "standard output" : path_, system::reason(error));
}

// False where there are none.
bool OutputFile::open_unnamed() {
    descriptor_ = system::open_unnamed(folder_);
    return descriptor_ >= 0;
}

void OutputFile::open_named() {
    temporary_ = with_fresh_name(folder_, [this](const char *name) {
        descriptor_ = system::open_new(name);
        return descriptor_ >= 0;
    });
    if (temporary_.empty()) {
        fail(errno);
    }
}

void OutputFile::link_unnamed() {
    temporary_ = with_fresh_name(
        folder_, [this](const char *name) { return system::give_name(descriptor_, name); });
    if (temporary_.empty()) {
        fail(errno);
    }
}

void OutputFile::write(const void *bytes, std::size_t size) {
    constexpr std::size_t kBlock = std::size_t{16} << 20; // between two looks at the cancel switch
    const char *next = static_cast<const char *>(bytes);
    while (size > 0) {
        if (cancel_ != nullptr && cancel_->load(std::memory_order_relaxed)) {
            throw Error(ErrorCode::cancelled, "cancelled while writing '" + path_ + "'");
        }
        const std::ptrdiff_t written = system::write(descriptor_, next, std::min(size, kBlock));
        if (written < 0) {
            if (errno == EINTR) {
                continue;
            }
            fail(errno);
        }
        digest_.add(next, static_cast<std::size_t>(written));
        bytes_ += static_cast<std::uint64_t>(written);
        next += written;
        size -= static_cast<std::size_t>(written);
    }
    if (bytes_ - begun_ >= kBlock && !is_stdout(path_)) {
        system::begin_sync(descriptor_, begun_, bytes_ - begun_);
        begun_ = bytes_;
    }
}

void OutputFile::finish() {
    if (is_stdout(path_) || finished_) {
        return;
    }
    if (!system::sync(descriptor_)) {
        fail(errno);
    }
    finished_ = true;
}

void OutputFile::park() {
    if (is_stdout(path_) || descriptor_ < 0) {
        return;
    }
    finish();
    if (temporary_.empty()) {
        link_unnamed();
    }
    if (!close_descriptor()) {
        fail(errno);
    }
}

bool OutputFile::close_descriptor() {
    --open_outputs;
    return system::close(std::exchange(descriptor_, -1));
}

void OutputFile::commit() {
    if (is_stdout(path_)) {
        return;
    }
    park();
    if (!system::replace(temporary_, target_)) {
        fail(errno);
    }
    temporary_.clear();
}

void write_file(const std::string &path, std::string_view text) {
    OutputFile file(path);
    file.write(text);
    file.commit();
}

OutputFiles::OutputFiles(const std::atomic<bool> *cancel, int threads)
    // Half of the descriptors that the process may open: the rest is for what it reads.
    : cancel_(cancel), most_open_(system::most_open_files() / 2), threads_(threads) {}

OutputFile &OutputFiles::add(const std::string &path) {
    while (open_outputs >= most_open_ && parked_ + kWritable <= files_.size()) {
        files_[parked_++]->park();
    }
    OutputFile &file = *files_.emplace_back(std::make_unique<OutputFile>(path, cancel_));
    file.set_threads(threads_);
    return file;
}

void OutputFiles::commit() {
    for (const auto &file : files_) {
        file->finish();
    }
    if (cancel_ != nullptr && *cancel_) {
        throw Error(ErrorCode::cancelled, "cancelled before the files got their names");
    }
    for (const auto &file : files_) {
        file->commit();
    }
}

std::vector<std::string> OutputFiles::paths() const {
    std::vector<std::string> paths;
    for (const auto &file : files_) {
        paths.push_back(file->path());
    }
    return paths;
}

std::optional<FileDigest> digest_file(const std::string &path) {
    if (!system::is_file(path)) {
        return std::nullopt;
    }
    FileDigest found;
    core::ByteDigest digest;
    read_blocks(path, [&](const char *block, std::size_t size) {
        digest.add(block, size);
        found.bytes += size;
    });
    found.digest = digest.value();
    return found;
}

std::string read_file(const std::string &path, std::size_t limit) {
    std::string content;
    read_blocks(path, [&](const char *block, std::size_t size) {
        if (size > limit - content.size()) {
            throw Error(ErrorCode::invalid_input, "'" + path + "' is larger than " +
                                                      std::to_string(limit) +
                                                      " bytes, the most that is read");
        }
        content.append(block, size);
    });
    return content;
}

} // namespace karst::io

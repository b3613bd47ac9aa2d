// One call of the C interface: exceptions become a status and a text, structs are read and filled
// as far as both sides know them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <karst/karst.h>

namespace karst::capi {

// A failure that is no karst::Error.
class CallError : public std::runtime_error {
public:
    CallError(karst_status status, const std::string &text)
        : std::runtime_error(text), status_(status) {}
    karst_status status() const noexcept { return status_; }

private:
    karst_status status_;
};

// For a catch block: the status of the exception that is handled; its text becomes the last error
// of this thread.
karst_status failed() noexcept;

template <class F>
karst_status guarded(F &&f) noexcept {
    try {
        f();
        return KARST_OK;
    } catch (...) {
        return failed();
    }
}

// Throws CallError(KARST_INVALID_ARGUMENT).
[[noreturn]] void refuse(const std::string &text);

// Throws CallError(KARST_INVALID_ARGUMENT) "name is null; allowed is ...".
void require(const void *pointer, const char *name, const char *allowed);

// Throws CallError(KARST_INVALID_ARGUMENT) for an index beyond `count`.
void require_index(std::uint32_t index, std::size_t count, const char *name);

// Throws CallError(KARST_UNSUPPORTED) unless it is 0.
void require_reserved(std::uint32_t reserved, const char *name);

void require_struct_size(std::uint32_t size, const char *name);
[[noreturn]] void refuse_newer_struct(const char *name);

// What the caller set. Members that its version of the struct does not have are 0. Throws
// CallError: KARST_UNSUPPORTED if members that this library does not know are not 0.
template <class Struct>
Struct read(const Struct *given, const char *name) {
    static_assert(std::is_trivially_copyable_v<Struct>);
    require(given, name, "a struct");
    const std::uint32_t size = given->struct_size;
    require_struct_size(size, name);
    Struct known{};
    std::memcpy(&known, given, std::min<std::size_t>(size, sizeof known));
    const auto *const bytes = reinterpret_cast<const unsigned char *>(given);
    for (std::size_t i = sizeof known; i < size; ++i) {
        if (bytes[i] != 0) {
            refuse_newer_struct(name);
        }
    }
    return known;
}

// Fills what the caller's version of the struct has, with 0 where this library knows nothing.
template <class Struct>
void fill(Struct *target, Struct value, const char *name) {
    static_assert(std::is_trivially_copyable_v<Struct>);
    require(target, name, "a struct");
    const std::uint32_t size = target->struct_size;
    require_struct_size(size, name);
    value.struct_size = size;
    auto *const bytes = reinterpret_cast<unsigned char *>(target);
    const std::size_t known = std::min<std::size_t>(size, sizeof value);
    std::memcpy(bytes, &value, known);
    std::memset(bytes + known, 0, size - known);
}

// Cut to what the array holds, with a 0 at its end.
template <std::size_t size>
void copy_text(char (&target)[size], const std::string &text) {
    const std::size_t length = std::min(text.size(), size - 1);
    std::memcpy(target, text.data(), length);
    std::memset(target + length, 0, size - length);
}

} // namespace karst::capi

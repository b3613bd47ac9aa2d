#include "capi/call.hpp"

#include <new>

#include <karst/config.hpp>
#include <karst/error.hpp>

namespace karst::capi {

namespace {

// A plain array: a thread's destructor would keep the library from being unloaded.
thread_local char last_error[1024] = "";

karst_status keep(karst_status status, const char *text) noexcept {
    const std::size_t length = std::min(std::strlen(text), sizeof last_error - 1);
    std::memmove(last_error, text, length);
    last_error[length] = 0;
    return status;
}

karst_status status_of(ErrorCode code) noexcept {
    switch (code) {
    case ErrorCode::invalid_argument:
        return KARST_INVALID_ARGUMENT;
    case ErrorCode::io_failure:
        return KARST_IO_FAILURE;
    case ErrorCode::invalid_input:
        return KARST_INVALID_INPUT;
    case ErrorCode::out_of_memory:
        return KARST_OUT_OF_MEMORY;
    case ErrorCode::no_device:
        return KARST_NO_DEVICE;
    case ErrorCode::device_failure:
        return KARST_DEVICE_FAILURE;
    case ErrorCode::unsupported:
        return KARST_UNSUPPORTED;
    case ErrorCode::requirement_failed:
        return KARST_REQUIREMENT_FAILED;
    case ErrorCode::cancelled:
        return KARST_CANCELLED;
    }
    return KARST_INTERNAL;
}

constexpr const char *kStatusNames[] = {"ok",
                                        "invalid_argument",
                                        "io_failure",
                                        "invalid_input",
                                        "out_of_memory",
                                        "no_device",
                                        "device_failure",
                                        "unsupported",
                                        "requirement_failed",
                                        "cancelled",
                                        "buffer_too_small",
                                        "not_finished",
                                        "invalid_handle",
                                        "forked",
                                        "internal"};

} // namespace

karst_status failed() noexcept {
    try {
        throw;
    } catch (const CallError &error) {
        return keep(error.status(), error.what());
    } catch (const Error &error) {
        return keep(status_of(error.code()), error.what());
    } catch (const std::bad_alloc &) {
        return keep(KARST_OUT_OF_MEMORY, "the memory ran out");
    } catch (const std::length_error &) {
        return keep(KARST_OUT_OF_MEMORY, "what is asked for is larger than any memory");
    } catch (const std::exception &error) {
        return keep(KARST_INTERNAL, error.what());
    } catch (...) {
        return keep(KARST_INTERNAL, "a callback of the host threw an exception");
    }
}

void refuse(const std::string &text) {
    throw CallError(KARST_INVALID_ARGUMENT, text);
}

void require(const void *pointer, const char *name, const char *allowed) {
    if (pointer == nullptr) {
        refuse(std::string(name) + " is null; allowed is " + allowed);
    }
}

void require_index(std::uint32_t index, std::size_t count, const char *name) {
    if (index >= count) {
        refuse(std::string(name) + " is " + std::to_string(index) + "; " +
               (count == 0 ? "there is none" : "allowed is 0 to ") +
               (count == 0 ? "" : std::to_string(count - 1)));
    }
}

void require_struct_size(std::uint32_t size, const char *name) {
    // Nothing that people would call a struct of this header is larger than a page.
    if (size < sizeof(std::uint32_t) || size > 4096) {
        refuse(std::string("struct_size of ") + name + " is " + std::to_string(size) +
               "; allowed is the size of the struct");
    }
}

void require_reserved(std::uint32_t reserved, const char *name) {
    if (reserved != 0) {
        refuse_newer_struct(name);
    }
}

void refuse_newer_struct(const char *name) {
    throw CallError(KARST_UNSUPPORTED, std::string(name) + " sets members that karst " KARST_VERSION
                                                           " does not have; allowed is 0");
}

} // namespace karst::capi

using namespace karst::capi;

const char *karst_version(void) {
    return KARST_VERSION;
}

uint32_t karst_algorithm_version(void) {
    return KARST_ALGORITHM_VERSION;
}

const char *karst_status_name(karst_status status) {
    const auto known = static_cast<karst_status>(std::size(kStatusNames));
    return status < 0 || status >= known ? "unknown" : kStatusNames[status];
}

const char *karst_last_error(void) {
    return last_error;
}

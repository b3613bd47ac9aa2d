// What a call refuses.
#pragma once

#include <string>

#include <doctest/doctest.h>

#include <karst/error.hpp>

namespace karst::test {

// The code of the Error that f() throws, whose message holds `word`.
template <class F>
ErrorCode error_of(const std::string &word, F &&f) {
    try {
        f();
    } catch (const Error &error) {
        INFO(error.what());
        CHECK(std::string(error.what()).find(word) != std::string::npos);
        return error.code();
    }
    FAIL("no error for " << word);
    return ErrorCode::invalid_argument;
}

} // namespace karst::test

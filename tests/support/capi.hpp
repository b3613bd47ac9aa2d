// Requests and results of the C interface for tests.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include <karst/karst.h>

namespace karst::test {

template <class Struct>
Struct sized() {
    Struct value{};
    value.struct_size = sizeof value;
    return value;
}

// A request that is destroyed with it.
class OwnRequest {
public:
    explicit OwnRequest(const char *generator, std::int64_t side = 48, std::int64_t depth = 0) {
        REQUIRE(karst_request_create(generator, &request_) == KARST_OK);
        REQUIRE(karst_request_set_extent(request_, side, side, depth) == KARST_OK);
    }
    ~OwnRequest() { karst_request_destroy(request_); }
    OwnRequest(const OwnRequest &) = delete;
    OwnRequest &operator=(const OwnRequest &) = delete;
    operator karst_request *() const { return request_; }

private:
    karst_request *request_ = nullptr;
};

class OwnResult {
public:
    explicit OwnResult(karst_result *its) : result_(its) {}
    OwnResult(const karst_request *request, const karst_options *options = nullptr) {
        const karst_status status = karst_run(request, options, &result_);
        INFO(karst_last_error());
        REQUIRE(status == KARST_OK);
    }
    ~OwnResult() { karst_result_destroy(result_); }
    OwnResult(const OwnResult &) = delete;
    OwnResult &operator=(const OwnResult &) = delete;
    operator karst_result *() const { return result_; }

private:
    karst_result *result_ = nullptr;
};

inline karst_layer layer_of(const karst_result *result, const char *name) {
    std::uint32_t index = 0;
    REQUIRE(karst_result_find_layer(result, name, &index) == KARST_OK);
    auto layer = sized<karst_layer>();
    REQUIRE(karst_result_layer_at(result, index, &layer) == KARST_OK);
    return layer;
}

inline std::string last_error() {
    return karst_last_error();
}

} // namespace karst::test

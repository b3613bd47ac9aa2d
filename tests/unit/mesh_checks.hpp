// Checks of judgements of meshes.
#pragma once

#include <doctest/doctest.h>

#include "tests/support/mesh_judgement.hpp"

namespace mesh_test {

inline void check_manifold(const Judgement &verdict) {
    CHECK(verdict.oriented);
    CHECK(verdict.fans);
    CHECK(verdict.no_collapse);
    CHECK(verdict.all_used);
}

inline void check_closed(const Judgement &verdict) {
    check_manifold(verdict);
    CHECK(verdict.borders == 0);
}

} // namespace mesh_test

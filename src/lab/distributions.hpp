// The normal distribution and Student's t: what lies above a value, and the value above which a
// share lies. By the arithmetic of real.hpp.
#pragma once

#include <cstdint>

namespace karst::lab {

// P(Z > z) of a standard normal Z; relative error below 1e-12.
double normal_tail(double z);

// P(T > t) with `freedom` >= 1 degrees of freedom; absolute error below 1e-14. The time grows with
// `freedom`.
double student_tail(double t, std::int64_t freedom);

// z with normal_tail(z) = share, share in (0, 1). Throws Error(invalid_argument) for another.
double normal_quantile(double share);

// t with student_tail(t) = share.
double student_quantile(double share, std::int64_t freedom);

} // namespace karst::lab

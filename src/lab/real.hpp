// Logarithm, exponential and arctangent of + - * / sqrt in one stated order, so that every machine
// gives the same bits: no call of a math library. Relative error below 2^-50 (tests compare with
// values of 20 digits). `docs/sensitivity.md` says why.
#pragma once

namespace karst::lab {

// The natural logarithm; -infinity of 0, not a number below.
double logarithm(double x);

// e^x; 0 below -708, infinity above 709.
double exponential(double x);

// In (-pi/2, pi/2).
double arctangent(double x);

} // namespace karst::lab

// Versions and the two macros every part of karst uses.
#pragma once

static_assert(__cplusplus >= 202002L, "karst needs C++20, also in .cu files");

#define KARST_VERSION_MAJOR 0
#define KARST_VERSION_MINOR 1
#define KARST_VERSION_PATCH 0
#define KARST_VERSION "0.1.0"

// The algorithm version. It is part of every random counter and of every manifest; the arrays of
// one version never change (docs/determinism.md).
#define KARST_ALGORITHM_VERSION 1

#if defined(_WIN32) && defined(KARST_EXPORTS) // only karst's own sources
#define KARST_API __declspec(dllexport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define KARST_API __attribute__((visibility("default")))
#else
#define KARST_API
#endif

// Marks a function that is compiled for the host and, by nvcc, for the device.
#if defined(__CUDACC__)
#define KARST_HD __host__ __device__
#else
#define KARST_HD
#endif

// Life with AVX2. No other code may be in this file: see cpu/life_rows.hpp.
#define KARST_LIFE_LANES 4
#include "cpu/life_rows.hpp"

namespace karst::cpu {

const LifeKernel kLifeAvx2{"AVX2", KARST_LIFE_LANES, next_rows_b3s23, next_rows_majority,
                           next_rows_any};

} // namespace karst::cpu

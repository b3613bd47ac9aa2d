// Erosion with AVX-512. No other code may be in this file: see cpu/life_rows.hpp.
#include "shape/erosion_rows.hpp"

namespace karst::shape {

const ErosionKernel kErosionAvx512{"AVX-512", descend, exchange};

} // namespace karst::shape

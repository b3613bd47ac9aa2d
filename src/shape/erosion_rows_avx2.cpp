// Erosion with AVX2. No other code may be in this file: see cpu/life_rows.hpp.
#include "shape/erosion_rows.hpp"

namespace karst::shape {

const ErosionKernel kErosionAvx2{"AVX2", descend, exchange};

} // namespace karst::shape

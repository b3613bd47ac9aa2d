// Erosion with the instructions that every machine has. No other code may be in this file: see
// cpu/life_rows.hpp.
#include "shape/erosion_rows.hpp"

namespace karst::shape {

const ErosionKernel kErosionBaseline{"baseline", descend, exchange};

} // namespace karst::shape

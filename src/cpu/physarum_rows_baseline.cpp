// Physarum for every machine. No other code may be in this file: see cpu/life_rows.hpp.
#include "cpu/physarum_rows.hpp"

namespace karst::cpu {

const PhysarumKernel kPhysarumBaseline{"baseline", sense_any, move_any, fold_row, diffuse_row};

} // namespace karst::cpu

// How far two layers of one kind lie apart, by what their numbers mean.
#pragma once

#include <karst/artifact.hpp>

namespace karst::lab {

// Of a mask the share of cells that differ; of an amount the mean |u - v| in its unit, over cells
// and channels; of ids the share of pairs of neighbours (along an axis) of which one layer says
// that they belong together and the other that they do not. Throws Error(invalid_argument) for
// layers of different size, type or meaning and for a picture.
double layer_distance(const Layer &u, const Layer &v);

} // namespace karst::lab

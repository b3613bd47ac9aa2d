// karst run --watch: small pictures of a recipe's assets, made again whenever it is saved.
#pragma once

#include <string>

#include "cli/job.hpp"
#include "cli/recipe.hpp"

namespace karst::cli {

// Writes a contact sheet of the first 16 items to `sheet`, at preview size, and again whenever the
// recipe or a file that it reads changes; writes nothing else. What is wrong with the recipe is
// told on the standard error, and the sheet stays. Ends by Error(cancelled) when it is interrupted;
// throws Error(io_failure) if the sheet cannot be written.
void watch_recipe(const std::string &path, const RecipeOverrides &overrides,
                  const std::string &sheet, RunningJob &running);

} // namespace karst::cli

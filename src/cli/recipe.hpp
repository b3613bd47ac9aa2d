// A recipe: assets that karst run makes, each for one or more seeds. docs/recipes.md describes the
// file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/request.hpp"

namespace karst::cli {

inline constexpr int kRecipeVersion = 1;

// What the command line lays over a recipe.
struct RecipeOverrides {
    std::vector<std::string> assignments; // --set
    OptionalText seed, seeds, folder;
    std::vector<std::string> only; // names of assets; empty: all
};

// One asset for one seed.
struct RecipeItem {
    std::string id;      // "cliff", or "cliff/7" where the asset has several seeds
    std::string asset;   // its key in "assets"
    std::string pointer; // "/assets/cliff"
    std::string file;    // the recipe that has it; of those on one another the uppermost
    const GeneratorInfo *generator = nullptr;
    AssetRequest request; // paths as they are opened; of the tokens {x}, {y}, {lod} are left
};

struct Recipe {
    std::string path;
    std::string folder;             // where its outputs lie
    bool own_folder = true;         // the recipe named it, or none: it lies beside the recipe
    std::vector<std::string> files; // that were read
    std::vector<RecipeItem> items;  // in the order of the file, then of the seeds
};

// Checks all that needs no generator's run: keys, types, names of outputs. An output stays inside
// the folder: it is relative, without "..". Throws Error(invalid_input) that names file and place
// and says what is allowed, Error(io_failure), Error(invalid_argument) for an override.
// `opened`, if not null, becomes the recipes that were opened, also when it throws.
Recipe read_recipe(const std::string &path, const RecipeOverrides &overrides,
                   std::vector<std::string> *opened = nullptr);

// "0..99", "7,8,text": the seeds it stands for, as text. Throws Error(invalid_argument).
std::vector<std::string> parse_seeds(const std::string &text);

// The file of `recipe` in JSON Schema (draft 2020-12).
std::string recipe_schema();

} // namespace karst::cli

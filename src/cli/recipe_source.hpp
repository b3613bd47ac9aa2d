// A recipe as JSON: what it extends and its variables put in, nothing else understood yet.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace karst::cli {

// What is wrong in a recipe: "FILE#/assets/cliff/size: ...", a JSON pointer behind the file.
[[noreturn]] void refuse_recipe(const std::string &path, const std::string &pointer,
                                const std::string &why);

// `key` as a step of a JSON pointer (RFC 6901).
std::string pointer_step(const std::string &key);

struct RecipeSource {
    std::string path;
    std::vector<std::string> files;            // that were read: the recipe, then what it extends
    std::vector<nlohmann::ordered_json> texts; // of each as it is written
    nlohmann::ordered_json root;               // without "extends" and "variables"

    // The file that the value at a JSON pointer comes from; the recipe itself if it stands in none.
    const std::string &file_of(const std::string &pointer) const;
};

// Reads `path` and the recipes that it extends: {"extends": "base.json"} is that recipe with this
// one laid over it as a JSON merge patch (RFC 7396: objects are merged, null takes a key away).
// Then "${name}" in any text becomes the variable "name" of the object "variables"; a text that is
// nothing else becomes the variable's own value, whatever its type. `assignments`, "NAME=VALUE",
// set variables, or with a dot, "ASSET.NAME=VALUE", a parameter of an asset. Throws
// Error(invalid_input) that names file and place, Error(io_failure); Error(invalid_argument) for an
// assignment. `opened`, if not null, becomes the files that decide what it does, also when it
// throws; the last of them may be missing then.
RecipeSource read_recipe_source(const std::string &path, std::span<const std::string> assignments,
                                std::vector<std::string> *opened);

} // namespace karst::cli

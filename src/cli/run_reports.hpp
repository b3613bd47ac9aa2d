// What karst run tells to people and to machines.
#pragma once

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cli/work.hpp"

namespace karst::cli {

// One item that was made, or could be: `index` counts all items of the recipe.
struct WorkItem {
    std::size_t index = 0;
    const RecipeItem *item = nullptr;
    WorkResult result{};
};

// For --list and --dry-run: index, id, generator, seed and files.
nlohmann::ordered_json list_json(const WorkItem &work);

// For --json and --report, with state and error.
nlohmann::ordered_json result_json(const WorkItem &work);

// JUnit's XML, a test case an item: what was asked for and not met is a failure, all else that went
// wrong an error.
std::string junit_text(const std::string &recipe, std::span<const WorkItem> all, double seconds);

// A rule for make: the outputs of all items depend on the recipes and on what the items read.
std::string depfile_text(const Recipe &recipe, std::span<const WorkItem> all);

} // namespace karst::cli

// What to type into an engine's import dialog and what to click, as data beside the heights.
#pragma once

#include <cstdint>
#include <optional>

#include <nlohmann/json_fwd.hpp>

#include <karst/field.hpp>

namespace karst::io {

struct HeightPlan;
struct HeightSource;

// How Unreal divides a landscape.
struct UnrealLayout {
    std::int64_t quads = 0;    // a side of a section
    std::int64_t sections = 0; // a side of a component, 1 or 2
    Extent2 components;
};

// The one with the fewest components; nothing: there is none of at most 256 a side.
std::optional<UnrealLayout> unreal_layout(Extent2 samples);

// Each adds the keys "import" and "steps".
void explain_unreal(nlohmann::ordered_json &object, const HeightPlan &plan,
                    const HeightSource &source);
void explain_unity(nlohmann::ordered_json &object, const HeightPlan &plan,
                   const HeightSource &source);
void explain_godot(nlohmann::ordered_json &object, const HeightPlan &plan,
                   const HeightSource &source);
void explain_blender(nlohmann::ordered_json &object, const HeightPlan &plan,
                     const HeightSource &source);
void explain_generic(nlohmann::ordered_json &object, const HeightPlan &plan,
                     const HeightSource &source);

} // namespace karst::io

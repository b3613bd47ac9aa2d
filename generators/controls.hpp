// The maps of a job.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <karst/artifact.hpp>
#include <karst/controls.hpp>

#include "generators/registry.hpp"

namespace karst {

// What generators with networks take: "walls", "food", "spawn", and "grow" if an earlier network
// can be pinned.
enum class Pins { no, yes };
std::vector<std::string> ground_control_names(Pins pins);
// And what a raw Physarum simulation takes beside these: the parameters that have maps.
std::vector<std::string> physarum_control_names();

// Throws Error(invalid_argument) for a map that the generator does not take, for one that is given
// twice, and for a pin of another generator or without "grow".
GroundControls ground_controls(const Job &job, std::string_view generator, Pins pins);
PhysarumControls physarum_controls(const Job &job, std::string_view generator);

// The document "network" of a run: what SavedNetworks holds, as JSON (docs/formats.md). Throws
// Error(unsupported) if it were larger than what is read back.
inline const LayerInfo kNetworkInfo{"network",
                                    "The trails of its networks, for --pin of a later run.", "",
                                    LayerKind::document, true};
Document network_document(std::string_view generator, const std::vector<PinnedNetwork> &networks);

} // namespace karst

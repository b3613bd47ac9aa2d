// The maps of a job.
#pragma once

#include <span>
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

inline const LayerInfo kNetworkInfo{"network",
                                    "The trails of its networks, for --pin of a later run.", "",
                                    LayerKind::document, true};

// The document "network" of a job that asks for it: what SavedNetworks holds, as JSON
// (docs/formats.md).
class NetworkLayer {
public:
    // `grids`: of the job's networks. Throws Error(unsupported) if the document were larger than
    // what is read back.
    NetworkLayer(const Job &job, const Options &options, std::span<const Extent2> grids);
    NetworkLayer(const NetworkLayer &) = delete;
    NetworkLayer &operator=(const NetworkLayer &) = delete;

    // With which the job runs, so that its networks are kept.
    const Options &options() const noexcept { return options_; }
    void add_to(Artifact &artifact) const;

private:
    std::vector<PinnedNetwork> networks_;
    Options options_;
};

} // namespace karst

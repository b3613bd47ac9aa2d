// What artists expect beside mask, depth and plates: the layers that cracks make on request.
#pragma once

#include <vector>

#include <karst/artifact.hpp>
#include <karst/crack.hpp>

#include "generators/registry.hpp"

namespace karst {

// In the order in which they are made; all are `on_request`.
std::vector<LayerInfo> crack_map_infos();

// Throws Error(out_of_memory) if the maps that the job asks for do not fit.
void check_crack_maps(const Job &job, const Options &options);

// Those that the job asks for. Throws Error(out_of_memory), Error(cancelled).
struct CrackMaps {
    std::vector<Layer> layers;
    std::vector<Document> documents;
};
CrackMaps make_crack_maps(const Job &job, const Options &options, const CrackParams &params,
                          const CrackResult &cracks);

} // namespace karst

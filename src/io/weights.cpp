#include "io/weights.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include <karst/error.hpp>

namespace karst::io {

namespace {

constexpr std::uint32_t kSum = 255;

// Scales the numbers to the sum 255 by the largest remainders.
void normalise(std::span<std::uint32_t> weights, std::span<std::uint32_t> remainders) {
    const std::uint32_t sum = std::accumulate(weights.begin(), weights.end(), std::uint32_t{0});
    if (sum == 0) {
        weights.front() = kSum;
        return;
    }
    std::uint32_t given = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        remainders[i] = weights[i] * kSum % sum;
        weights[i] = weights[i] * kSum / sum;
        given += weights[i];
    }
    for (; given < kSum; ++given) {
        const auto most = std::max_element(remainders.begin(), remainders.end());
        ++weights[static_cast<std::size_t>(most - remainders.begin())];
        *most = 0;
    }
}

} // namespace

std::vector<Field2D<std::uint8_t>>
normalised_weights(std::span<const Field2D<std::uint8_t> *const> layers) {
    if (layers.empty()) {
        throw Error(ErrorCode::invalid_argument,
                    "there are no weights; allowed is 1 layer or more");
    }
    const Extent2 extent = layers.front()->extent();
    for (const auto *layer : layers) {
        if (layer->extent() != extent) {
            throw Error(ErrorCode::invalid_argument,
                        "a layer of weights is " + std::to_string(layer->width()) + "x" +
                            std::to_string(layer->height()) + "; allowed is the first layer's " +
                            std::to_string(extent.width) + "x" + std::to_string(extent.height));
        }
    }
    std::vector<Field2D<std::uint8_t>> result(layers.size(), Field2D<std::uint8_t>(extent));
    std::vector<std::uint32_t> weights(layers.size());
    std::vector<std::uint32_t> remainders(layers.size());
    for (std::int64_t cell = 0; cell < extent.cells(); ++cell) {
        std::transform(layers.begin(), layers.end(), weights.begin(),
                       [cell](const auto *layer) { return (*layer)[cell]; });
        normalise(weights, remainders);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            result[i][cell] = static_cast<std::uint8_t>(weights[i]);
        }
    }
    return result;
}

} // namespace karst::io

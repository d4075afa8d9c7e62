// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace plimsoll::timeline {

/// A layer of the stacked area.
struct Layer
{
    std::string id;       ///< "optimizer_state"
    std::string name;     ///< "Optimizer state"
    std::uint8_t ink = 0; ///< which of the kMostLayers fills of a theme, or kPaleInk
};
inline constexpr std::size_t kMostLayers = 8;
/// An ink for what a filter leaves out: pale, without a pattern.
inline constexpr std::uint8_t kPaleInk = kMostLayers;
/// Bottom to top, at most kMostLayers.
using Layers = std::vector<Layer>;
using LayersPtr = std::shared_ptr<const Layers>;

/// The layers of a planned step, in the order of categoryLayers().
enum class Category : std::uint8_t {
    Parameters,
    OptimizerState,
    Buffers,
    Gradients,
    Inputs,
    Activations,
    Temporaries,
    Workspaces,
};
inline constexpr std::size_t kCategoryCount = 8;
[[nodiscard]] const LayersPtr& categoryLayers();
/// "Parameters", "Optimizer state", …
[[nodiscard]] const char* categoryName(Category category);

} // namespace plimsoll::timeline

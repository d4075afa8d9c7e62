// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/layers.h"

namespace plimsoll::timeline {

const LayersPtr& categoryLayers()
{
    static const LayersPtr kLayers =
        std::make_shared<const Layers>(Layers{{"parameters", "Parameters", 0},
                                              {"optimizer_state", "Optimizer state", 1},
                                              {"buffers", "Buffers", 2},
                                              {"gradients", "Gradients", 3},
                                              {"inputs", "Inputs", 4},
                                              {"activations", "Activations", 5},
                                              {"temporaries", "Temporaries", 6},
                                              {"workspaces", "Workspaces", 7}});
    return kLayers;
}

const char* categoryName(Category category)
{
    return categoryLayers()->at(static_cast<std::size_t>(category)).name.c_str();
}

} // namespace plimsoll::timeline

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/timeline/timeline.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::writers {

/// A curve above the layers.
struct Outline
{
    std::string name;
    /// The largest bytes in steps [begin, end).
    std::function<base::Bytes(std::size_t begin, std::size_t end)> largest;
    bool isDashed = false;
};

/// A step that is marked by a line from top to bottom.
struct Mark
{
    std::size_t step = 0;
    std::string text;
};

/// What a picture of a timeline shows; lives as long as what it refers to.
struct TimelinePicture
{
    std::string title;
    std::string subject; ///< behind the title, for readers of screens
    std::string facts;   ///< below the title
    const timeline::Timeline& timeline;
    const timeline::Layers& layers; ///< of the timeline
    std::string peakText;
    std::optional<base::Bytes> line = {}; ///< across the plot, such as a budget
    std::string lineText = {};
    std::vector<Outline> outlines = {};
    std::vector<Mark> marks = {};
};

/// The picture as an SVG document of 1200 x 560 pixels in the colors of the light theme. Each pixel
/// column shows the largest sum in it.
[[nodiscard]] std::string timelineSvg(const TimelinePicture& picture);

} // namespace plimsoll::writers

// SPDX-License-Identifier: Apache-2.0
#include "ui/memory_map/map_scene.h"

#include <algorithm>

namespace plimsoll::ui {

MapPicture::MapPicture(const MapPart& shown, const MapInks& inks)
    : part{shown}
    , image{shown.pixels, QImage::Format_RGB32}
    , allocations(static_cast<std::size_t>(shown.pixels.width())
                      * static_cast<std::size_t>(shown.pixels.height()),
                  memtrace::kNone)
{
    image.fill(inks.ground);
}

std::optional<std::uint32_t> MapPicture::allocationAt(const QPoint& pixel) const
{
    if (!image.rect().contains(pixel))
        return std::nullopt;
    const std::uint32_t allocation =
        allocations[static_cast<std::size_t>(pixel.y()) * static_cast<std::size_t>(image.width())
                    + static_cast<std::size_t>(pixel.x())];
    return allocation == memtrace::kNone ? std::nullopt : std::optional{allocation};
}

void MapPicture::fill(const QRect& pixels, QRgb ink, std::uint32_t allocation)
{
    const std::ptrdiff_t stride = image.bytesPerLine() / 4;
    const std::ptrdiff_t top = pixels.top();
    QRgb* line = reinterpret_cast<QRgb*>(image.bits()) + top * stride + pixels.left();
    std::uint32_t* ids = allocations.data() + top * image.width() + pixels.left();
    const int width = pixels.width();
    for (int left = pixels.height(); left > 0; --left) {
        std::fill_n(line, width, ink);
        std::fill_n(ids, width, allocation);
        line += stride;
        ids += image.width();
    }
}

MapScene::Shown MapScene::shownIn(const MapPart& part) const
{
    const StepSpan steps = stepsIn(StepAxis{m_timeline}, part.begin, part.end);
    const std::vector<timeline::Interval>& intervals = m_timeline->intervals();
    const auto firstFrom = [&](std::size_t step) {
        return static_cast<std::size_t>(
            std::partition_point(
                intervals.begin(), intervals.end(),
                [step](const timeline::Interval& interval) { return interval.begin < step; })
            - intervals.begin());
    };
    const std::size_t begin = firstFrom(steps.begin + 1);
    return {steps.begin, begin, std::max(begin, firstFrom(steps.end))};
}

} // namespace plimsoll::ui

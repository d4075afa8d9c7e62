// SPDX-License-Identifier: Apache-2.0
#include "ui/memory_map/address_raster.h"

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr double kGap = 0.8;             ///< logical pixels between neighbours …
constexpr double kLeastHeight = 2.5;     ///< … that are at least as high as this
constexpr std::size_t kStopCheck = 4096; ///< allocations between looks at the stop token

/// Pixels begin..end - 1 of a row or a column.
struct Pixels
{
    int begin = 0;
    int end = 0;
};

/// At least one pixel, unless it is out of view.
Pixels pixelsOf(double from, double to, int count)
{
    if (to <= 0 || from >= count)
        return {};
    const int begin = std::max(0, static_cast<int>(std::lround(from)));
    const int end = std::min(count, static_cast<int>(std::lround(std::min<double>(to, count))));
    return {std::min(begin, count - 1), std::max(end, std::min(begin, count - 1) + 1)};
}

class Canvas
{
public:
    Canvas(const AddressScene& scene, const AddressPart& part, const AddressInks& inks)
        : m_scene{scene}, m_axis{scene.timeline}, m_part{part}, m_inks{inks}
    {
        picture.part = part;
        picture.image = QImage{part.pixels, QImage::Format_RGB32};
        picture.image.fill(inks.ground);
        picture.allocations.assign(static_cast<std::size_t>(part.pixels.width())
                                       * static_cast<std::size_t>(part.pixels.height()),
                                   memtrace::kNone);
    }

    void segment(const memtrace::Segment& segment)
    {
        const auto steps = static_cast<std::uint32_t>(m_axis.stepCount());
        const std::uint32_t end = segment.end == memtrace::kNoEvent ? steps - 1 : segment.end;
        fill(columns(segment.begin + 1, end), rows(segment.address, segment.bytes, 0),
             m_inks.reserved, memtrace::kNone);
    }
    void interval(const timeline::Interval& interval)
    {
        const memtrace::Allocations& allocations = m_scene.trackedDevice().allocations();
        if (allocations.address[interval.origin] == memtrace::kNoAddress)
            return;
        fill(
            columns(interval.begin, interval.end),
            rows(allocations.address[interval.origin], interval.bytes.count(), kGap * m_inks.scale),
            m_inks.layers[interval.layer], interval.origin);
    }

    AddressPicture picture;

private:
    [[nodiscard]] Pixels columns(std::uint32_t first, std::uint32_t last) const
    {
        const double scale = m_part.pixels.width() / (m_part.end - m_part.begin);
        return pixelsOf((m_axis.positionOf(first) - m_part.begin) * scale,
                        (m_axis.positionOf(std::size_t{last} + 1) - m_part.begin) * scale,
                        m_part.pixels.width());
    }
    /// Higher addresses are further up.
    [[nodiscard]] Pixels rows(std::uint64_t address, std::int64_t bytes, double gap) const
    {
        const double scale =
            m_part.pixels.height() / static_cast<double>(m_part.bytes.span().count());
        const auto bottom =
            static_cast<double>((m_scene.layout.offsetOf(address) - m_part.bytes.bottom).count())
            * scale;
        const double height = static_cast<double>(bytes) * scale;
        const double shown = height >= kLeastHeight * m_inks.scale ? height - gap : height;
        return pixelsOf(m_part.pixels.height() - bottom - shown, m_part.pixels.height() - bottom,
                        m_part.pixels.height());
    }
    void fill(const Pixels& x, const Pixels& y, QRgb ink, std::uint32_t allocation)
    {
        for (int row = y.begin; row < y.end; ++row) {
            auto* line = reinterpret_cast<QRgb*>(picture.image.scanLine(row));
            std::fill(line + x.begin, line + x.end, ink);
            auto* ids = picture.allocations.data()
                        + static_cast<std::ptrdiff_t>(row) * m_part.pixels.width();
            std::fill(ids + x.begin, ids + x.end, allocation);
        }
    }

    const AddressScene& m_scene;
    StepAxis m_axis;
    const AddressPart& m_part;
    const AddressInks& m_inks;
};

/// Steps that the part shows, and the intervals that begin in them.
struct Shown
{
    std::size_t firstStep = 0;
    std::size_t begin = 0; ///< indices of intervals
    std::size_t end = 0;
};

Shown shownIn(const AddressScene& scene, const AddressPart& part)
{
    const StepAxis axis{scene.timeline};
    const StepSpan steps = stepsIn(axis, part.begin, part.end);
    const std::vector<timeline::Interval>& intervals = scene.timeline->intervals();
    const auto firstAfter = [&](std::size_t step) {
        return static_cast<std::size_t>(
            std::partition_point(
                intervals.begin(), intervals.end(),
                [step](const timeline::Interval& interval) { return interval.begin < step; })
            - intervals.begin());
    };
    return {steps.begin, firstAfter(steps.begin + 1), firstAfter(steps.end)};
}

} // namespace

std::optional<std::uint32_t> AddressPicture::allocationAt(const QPoint& pixel) const
{
    if (!image.rect().contains(pixel))
        return std::nullopt;
    const std::uint32_t allocation =
        allocations[static_cast<std::size_t>(pixel.y()) * static_cast<std::size_t>(image.width())
                    + static_cast<std::size_t>(pixel.x())];
    return allocation == memtrace::kNone ? std::nullopt : std::optional{allocation};
}

std::size_t allocationsIn(const AddressScene& scene, const AddressPart& part)
{
    if (scene.timeline->stepCount() == 0)
        return 0;
    const Shown shown = shownIn(scene, part);
    return shown.end - std::min(shown.begin, shown.end);
}

AddressPicturePtr drawAddresses(const AddressScene& scene, const AddressPart& part,
                                const AddressInks& inks, const base::JobContext& job)
{
    Canvas canvas{scene, part, inks};
    if (scene.timeline->stepCount() > 0 && scene.layout.size().count() > 0) {
        for (const memtrace::Segment& segment : scene.trackedDevice().segments())
            canvas.segment(segment);
        const std::vector<timeline::Interval>& intervals = scene.timeline->intervals();
        const Shown shown = shownIn(scene, part);
        for (const std::uint32_t index : scene.timeline->aliveAt(shown.firstStep))
            canvas.interval(intervals[index]);
        for (std::size_t i = shown.begin; i < shown.end; ++i) {
            if (i % kStopCheck == 0 && job.stopRequested())
                return nullptr;
            canvas.interval(intervals[i]);
        }
    }
    return std::make_shared<const AddressPicture>(std::move(canvas.picture));
}

} // namespace plimsoll::ui

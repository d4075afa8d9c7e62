// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/memtrace/memory_trace.h"
#include "ui/plot/byte_range.h"
#include "ui/timeline/coordinates.h"

#include <QImage>
#include <QString>

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace plimsoll::ui {

/// The part of a scene that a picture shows, and its size in device pixels.
struct MapPart
{
    double begin = 0; ///< positions on the axis, as StepAxis has them
    double end = 1;
    ByteRange bytes; ///< of the vertical axis
    QSize pixels;

    bool operator==(const MapPart&) const = default;
};

struct MapInks
{
    std::array<QRgb, timeline::kMostLayers> layers{};
    QRgb ground = 0;   ///< nothing
    QRgb reserved = 0; ///< reserved and idle
    double scale = 1;  ///< device pixels of a logical one

    bool operator==(const MapInks&) const = default;
};

/// Logical pixels between neighbours …
inline constexpr double kBlockGap = 0.8;
/// … that are at least as high as this.
inline constexpr double kLeastWithGap = 2.5;

/// A drawn part, and which allocation is at each pixel.
struct MapPicture
{
    MapPicture() = default;
    /// Nothing but the ground.
    MapPicture(const MapPart& shown, const MapInks& inks);

    MapPart part;
    QImage image;
    std::vector<std::uint32_t> allocations; ///< by pixel, row by row; memtrace::kNone: none

    [[nodiscard]] std::optional<std::uint32_t> allocationAt(const QPoint& pixel) const;
    /// Colours a rectangle of pixels within the picture.
    void fill(const QRect& pixels, QRgb ink, std::uint32_t allocation);
};
using MapPicturePtr = std::shared_ptr<const MapPicture>;

/// A frame around a group of allocations.
struct MapOutline
{
    QRectF rect; ///< logical pixels
    QString name;
};

/// How allocations are drawn against the axis of steps. A value, used by any thread.
class MapScene
{
public:
    /// `timeline`: of the trace's device; origins of intervals are its allocations.
    MapScene(memtrace::MemoryTracePtr trace, std::size_t device, timeline::TimelinePtr timeline)
        : m_trace{std::move(trace)}, m_device{device}, m_timeline{std::move(timeline)}
    {
    }
    virtual ~MapScene() = default;
    MapScene(const MapScene&) = delete;
    MapScene& operator=(const MapScene&) = delete;
    MapScene(MapScene&&) = delete;
    MapScene& operator=(MapScene&&) = delete;

    [[nodiscard]] std::size_t deviceIndex() const { return m_device; }
    [[nodiscard]] const memtrace::DeviceTrace& device() const
    {
        return m_trace->devices()[m_device];
    }
    [[nodiscard]] const timeline::TimelinePtr& timeline() const { return m_timeline; }

    /// Of the vertical axis.
    [[nodiscard]] virtual ByteRange range() const = 0;
    /// About how many rectangles draw() would fill: what its time depends on.
    [[nodiscard]] virtual std::size_t effort(const MapPart& part) const = 0;
    /// Null: it was stopped.
    [[nodiscard]] virtual MapPicturePtr draw(const MapPart& part, const MapInks& inks,
                                             const base::JobContext& job = {}) const = 0;
    /// Where an allocation is drawn, in logical pixels, if that is one rectangle.
    [[nodiscard]] virtual std::optional<QRectF> rectOf(std::uint32_t /*allocation*/,
                                                       const Coordinates& /*at*/) const
    {
        return std::nullopt;
    }
    [[nodiscard]] virtual std::vector<MapOutline> outlines(const Coordinates& /*at*/) const
    {
        return {};
    }

protected:
    /// Indices of the intervals that begin within the part, but not with its first step.
    struct Shown
    {
        std::size_t firstStep = 0;
        std::size_t begin = 0;
        std::size_t end = 0; ///< not before begin
    };
    [[nodiscard]] Shown shownIn(const MapPart& part) const;
    [[nodiscard]] bool isEmpty() const { return m_timeline->stepCount() == 0; }

private:
    memtrace::MemoryTracePtr m_trace;
    std::size_t m_device;
    timeline::TimelinePtr m_timeline;
};
using MapScenePtr = std::shared_ptr<const MapScene>;

} // namespace plimsoll::ui

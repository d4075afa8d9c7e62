// SPDX-License-Identifier: Apache-2.0
#include "ui/memory_map/address_scene.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <utility>

namespace plimsoll::ui {

namespace {

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
    Canvas(const memtrace::AddressLayout& layout, StepAxis axis, const MapPart& part,
           const MapInks& inks)
        : picture{part, inks}, m_layout{layout}, m_axis{std::move(axis)}, m_inks{inks}
    {
    }

    void segment(const memtrace::Segment& segment)
    {
        const auto steps = static_cast<std::uint32_t>(m_axis.stepCount());
        const std::uint32_t end = segment.end == memtrace::kNoEvent ? steps - 1 : segment.end;
        fill(columns(segment.begin + 1, end), rows(segment.address, segment.bytes, 0),
             m_inks.reserved, memtrace::kNone);
    }
    void interval(const timeline::Interval& interval, std::uint64_t address)
    {
        if (address == memtrace::kNoAddress)
            return;
        fill(columns(interval.begin, interval.end),
             rows(address, interval.bytes.count(), kBlockGap * m_inks.scale),
             m_inks.layers[interval.layer], interval.origin);
    }

    MapPicture picture;

private:
    [[nodiscard]] Pixels columns(std::uint32_t first, std::uint32_t last) const
    {
        const MapPart& part = picture.part;
        const double scale = part.pixels.width() / (part.end - part.begin);
        return pixelsOf((m_axis.positionOf(first) - part.begin) * scale,
                        (m_axis.positionOf(std::size_t{last} + 1) - part.begin) * scale,
                        part.pixels.width());
    }
    /// Higher addresses are further up.
    [[nodiscard]] Pixels rows(std::uint64_t address, std::int64_t bytes, double gap) const
    {
        const MapPart& part = picture.part;
        const double scale = part.pixels.height() / static_cast<double>(part.bytes.span().count());
        const auto bottom =
            static_cast<double>((m_layout.offsetOf(address) - part.bytes.bottom).count()) * scale;
        const double height = static_cast<double>(bytes) * scale;
        const double shown = height >= kLeastWithGap * m_inks.scale ? height - gap : height;
        return pixelsOf(part.pixels.height() - bottom - shown, part.pixels.height() - bottom,
                        part.pixels.height());
    }
    void fill(const Pixels& x, const Pixels& y, QRgb ink, std::uint32_t allocation)
    {
        picture.fill({QPoint{x.begin, y.begin}, QPoint{x.end - 1, y.end - 1}}, ink, allocation);
    }

    const memtrace::AddressLayout& m_layout;
    StepAxis m_axis;
    const MapInks& m_inks;
};

constexpr std::size_t kMostFrames = 400; ///< more would hide what they frame

std::vector<AddressScene::PoolFrame> poolFrames(const memtrace::DeviceTrace& device,
                                                const memtrace::AddressLayout& layout)
{
    std::vector<AddressScene::PoolFrame> frames;
    const auto steps = static_cast<std::uint32_t>(device.stepCount());
    for (const memtrace::Segment& segment : device.segments()) {
        const memtrace::Place& place = device.places()[segment.place];
        if (!place.isPrivate())
            continue;
        const base::Bytes bottom = layout.offsetOf(segment.address);
        frames.push_back({place.pool, bottom, bottom + base::Bytes{segment.bytes},
                          segment.begin + 1,
                          segment.end == memtrace::kNoEvent ? steps - 1 : segment.end});
    }
    std::ranges::sort(frames, {}, [](const AddressScene::PoolFrame& frame) {
        return std::pair{frame.pool, frame.bottom};
    });
    std::vector<AddressScene::PoolFrame> joined;
    for (const AddressScene::PoolFrame& frame : frames) {
        if (joined.empty() || joined.back().pool != frame.pool
            || joined.back().top < frame.bottom) {
            joined.push_back(frame);
            continue;
        }
        AddressScene::PoolFrame& last = joined.back();
        last.top = std::max(last.top, frame.top);
        last.first = std::min(last.first, frame.first);
        last.last = std::max(last.last, frame.last);
    }
    if (joined.size() > kMostFrames)
        joined.clear();
    return joined;
}

} // namespace

AddressScene::AddressScene(memtrace::MemoryTracePtr trace, std::size_t device,
                           timeline::TimelinePtr timeline, memtrace::AddressLayout layout)
    : MapScene{std::move(trace), device, std::move(timeline)}
    , m_layout{std::move(layout)}
    , m_frames{poolFrames(this->device(), m_layout)}
{
}

ByteRange AddressScene::range() const
{
    return {{}, std::max(base::Bytes{1}, m_layout.size())};
}

std::size_t AddressScene::effort(const MapPart& part) const
{
    if (isEmpty())
        return 0;
    const Shown shown = shownIn(part);
    return shown.end - shown.begin;
}

MapPicturePtr AddressScene::draw(const MapPart& part, const MapInks& inks,
                                 const base::JobContext& job) const
{
    Canvas canvas{m_layout, StepAxis{timeline()}, part, inks};
    if (!isEmpty() && m_layout.size().count() > 0) {
        for (const memtrace::Segment& segment : device().segments())
            canvas.segment(segment);
        const base::Column<std::uint64_t>& addresses = device().allocations().address;
        const std::vector<timeline::Interval>& intervals = timeline()->intervals();
        const Shown shown = shownIn(part);
        for (const std::uint32_t index : timeline()->aliveAt(shown.firstStep))
            canvas.interval(intervals[index], addresses[intervals[index].origin]);
        for (std::size_t i = shown.begin; i < shown.end; ++i) {
            if (i % kStopCheck == 0 && job.stopRequested())
                return nullptr;
            canvas.interval(intervals[i], addresses[intervals[i].origin]);
        }
    }
    return std::make_shared<const MapPicture>(std::move(canvas.picture));
}

std::optional<QRectF> AddressScene::rectOf(std::uint32_t allocation, const Coordinates& at) const
{
    if (device().allocations().address[allocation] == memtrace::kNoAddress)
        return QRectF{};
    const StepAxis axis{timeline()};
    const base::Bytes bottom = m_layout.offsetOf(device().allocations().address[allocation]);
    const double top = at.yOf(bottom + base::Bytes{device().allocations().bytes[allocation]});
    const double left = at.xOf(axis.positionOf(device().firstStep(allocation)));
    const double right = at.xOf(axis.positionOf(device().lastStep(allocation) + std::size_t{1}));
    return QRectF{QPointF{left, top}, QPointF{right, at.yOf(bottom)}};
}

std::vector<MapOutline> AddressScene::outlines(const Coordinates& at) const
{
    std::vector<MapOutline> outlines;
    const StepAxis axis{timeline()};
    for (const PoolFrame& frame : m_frames) {
        const QPointF leftTop{at.xOf(axis.positionOf(frame.first)), at.yOf(frame.top)};
        const QPointF rightBottom{at.xOf(axis.positionOf(std::size_t{frame.last} + 1)),
                                  at.yOf(frame.bottom)};
        outlines.push_back({QRectF{leftTop, rightBottom},
                            QCoreApplication::translate("AddressScene", "Private pool %1.%2")
                                .arg(frame.pool[0])
                                .arg(frame.pool[1])});
    }
    return outlines;
}

} // namespace plimsoll::ui

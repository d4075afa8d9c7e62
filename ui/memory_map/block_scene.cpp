// SPDX-License-Identifier: Apache-2.0
#include "ui/memory_map/block_scene.h"

#include "ui/timeline/stack_columns.h"

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr double kHeadroom = 1.02;           ///< of the peak
constexpr std::size_t kColumnsPerCheck = 16; ///< columns between looks at the stop token

/// Indices of the live intervals in the order in which they began, while steps rise.
class LiveBlocks
{
public:
    explicit LiveBlocks(const timeline::Timeline& timeline) : m_timeline{timeline} {}

    [[nodiscard]] const std::vector<std::uint32_t>& at(std::size_t step)
    {
        const std::vector<timeline::Interval>& intervals = m_timeline.intervals();
        if (!m_hasBegun) {
            m_live = m_timeline.aliveAt(step);
            std::ranges::sort(m_live);
            m_next = static_cast<std::size_t>(
                std::partition_point(
                    intervals.begin(), intervals.end(),
                    [step](const timeline::Interval& interval) { return interval.begin <= step; })
                - intervals.begin());
            m_hasBegun = true;
            return m_live;
        }
        std::erase_if(m_live, [&](std::uint32_t index) { return intervals[index].end < step; });
        for (; m_next < intervals.size() && intervals[m_next].begin <= step; ++m_next)
            if (intervals[m_next].end >= step)
                m_live.push_back(static_cast<std::uint32_t>(m_next));
        return m_live;
    }

private:
    const timeline::Timeline& m_timeline;
    std::vector<std::uint32_t> m_live;
    std::size_t m_next = 0; ///< the first interval that has not begun
    bool m_hasBegun = false;
};

class BlockCanvas
{
public:
    BlockCanvas(const timeline::Timeline& timeline, const MapPart& part, const MapInks& inks)
        : picture{part, inks}
        , m_timeline{timeline}
        , m_inks{inks}
        , m_scale{part.pixels.height() / static_cast<double>(part.bytes.span().count())}
        , m_gap{static_cast<int>(std::lround(kBlockGap * inks.scale))}
    {
    }

    void column(int x, int width, const std::vector<std::uint32_t>& live)
    {
        const int height = picture.part.pixels.height();
        std::int64_t sum = -picture.part.bytes.bottom.count();
        int bottom = height; // of the next block: the row below its lowest one
        for (const std::uint32_t index : live) {
            const timeline::Interval& interval = m_timeline.intervals()[index];
            sum += interval.bytes.count();
            const int top = std::clamp(
                height - static_cast<int>(std::lround(static_cast<double>(sum) * m_scale)), 0,
                bottom);
            // A gap above blocks that are high enough for it.
            const int shown = bottom - top >= kLeastWithGap * m_inks.scale ? top + m_gap : top;
            if (shown < bottom)
                picture.fill({x, shown, width, bottom - shown}, m_inks.layers[interval.layer],
                             interval.origin);
            bottom = top;
            if (bottom == 0)
                break;
        }
    }

    MapPicture picture;

private:
    const timeline::Timeline& m_timeline;
    const MapInks& m_inks;
    double m_scale; ///< pixels per byte
    int m_gap;
};

} // namespace

ByteRange BlockScene::range() const
{
    const auto top = static_cast<double>(timeline()->peak().count()) * kHeadroom;
    return {{}, base::Bytes{std::max<std::int64_t>(1, std::llround(top))}};
}

std::size_t BlockScene::effort(const MapPart& part) const
{
    if (isEmpty())
        return 0;
    constexpr std::size_t kColumns = 64; // about what one rectangle of an address map costs
    const Shown shown = shownIn(part);
    const std::size_t live = timeline()->aliveAt(shown.firstStep).size();
    const auto width = static_cast<std::size_t>(part.pixels.width());
    return shown.end - shown.begin + live * std::min(width, shown.end - shown.begin + 1) / kColumns;
}

MapPicturePtr BlockScene::draw(const MapPart& part, const MapInks& inks,
                               const base::JobContext& job) const
{
    BlockCanvas canvas{*timeline(), part, inks};
    if (isEmpty())
        return std::make_shared<const MapPicture>(std::move(canvas.picture));
    const StepAxis axis{timeline()};
    const Coordinates at{QRectF{QPointF{}, QSizeF{part.pixels}}, part.begin, part.end, part.bytes};
    const std::vector<StepSpan> spans = columnSpans(axis, at);
    LiveBlocks blocks{*timeline()};
    // Columns that show the same step are drawn together.
    for (std::size_t x = 0; x < spans.size();) {
        if (x % kColumnsPerCheck == 0 && job.stopRequested())
            return nullptr;
        const std::size_t step = shownStep(*timeline(), spans[x]);
        std::size_t end = x + 1;
        while (end < spans.size() && spans[end].begin == spans[x].begin
               && spans[end].end == spans[x].end)
            ++end;
        canvas.column(static_cast<int>(x), static_cast<int>(end - x), blocks.at(step));
        x = end;
    }
    return std::make_shared<const MapPicture>(std::move(canvas.picture));
}

} // namespace plimsoll::ui

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/timeline/overview.h"
#include "ui/timeline/paint_context.h"
#include "ui/timeline/patterns.h"
#include "ui/timeline/stack_raster.h"

#include <QWidget>

namespace plimsoll::ui {

/// Paints a model into a widget and caches what the next frame can reuse.
class TimelineCanvas
{
public:
    /// Both must outlive it.
    TimelineCanvas(QWidget& widget, const TimelineModel& model) : m_widget{widget}, m_model{model}
    {
    }

    [[nodiscard]] TimelineFrame frame() const
    {
        return frameFor(m_model, m_widget.size(), Theme::current().scale());
    }
    [[nodiscard]] double ratio() const { return m_widget.devicePixelRatioF(); }
    /// From the last painting.
    [[nodiscard]] const PlacedLabels& labels() const { return m_labels; }
    /// The step that the picture shows in the device column at x.
    [[nodiscard]] std::optional<std::size_t> stepAtX(double x) const;

    /// Repaints; the cache stays valid.
    void update() { m_widget.update(); }
    void invalidateStack();
    void invalidateAll();
    void setTheme(); ///< the colours have changed

    void paint(QPainter& painter);

private:
    /// Axes, bands, stack, overview: what doesn't depend on the overlay's line.
    struct Base
    {
        StackPicture stack;
        bool isCurrent = false;
    };

    void refresh(const TimelineFrame& frame);
    void compose(const TimelineFrame& frame);
    [[nodiscard]] Base& shownBase() { return m_model.pale ? m_paleBase : m_base; }

    QWidget& m_widget;
    const TimelineModel& m_model;
    Base m_base;
    Base m_paleBase; ///< of a pale stack, which a drag crosses repeatedly
    StackColumns m_columns;
    OverviewHeights m_overview;
    FillTiles m_tiles;
    FillTiles m_paleTiles;
    double m_tilesRatio = 0;
    timeline::LayersPtr m_tilesLayers;
    bool m_groundDirty = true;
    bool m_stackDirty = true;
    PlacedLabels m_labels;
};

} // namespace plimsoll::ui

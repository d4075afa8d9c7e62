// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/job_runner.h"
#include "ui/base/selection.h"
#include "ui/memory_map/map_scene.h"
#include "ui/timeline/viewport.h"

#include <QPainterPath>
#include <QPointer>
#include <QWidget>

#include <functional>

namespace plimsoll::ui {

class TimelineView;

/// Each allocation of a scene, on the axis of the timeline above it. Zoom, pan and range are the
/// timeline's; it gets their events. Large parts are drawn off the GUI thread, and until that is
/// done the last picture is shown where it belongs.
class MemoryMapView : public QWidget
{
    Q_OBJECT

public:
    /// `above`: whose axis it shares. Must outlive it.
    explicit MemoryMapView(TimelineView& above, QWidget* parent = nullptr);
    ~MemoryMapView() override;

    void setScene(MapScenePtr scene, const QString& title);
    void setSelection(Selection* selection);
    /// Facts beside the title.
    void setSubtitle(const QString& facts);
    [[nodiscard]] const QString& subtitle() const { return m_subtitle; }
    void setAllocation(std::optional<std::uint32_t> allocation);
    /// What the tool tip says of an allocation.
    void setTips(std::function<QString(std::uint32_t allocation)> tips)
    {
        m_tips = std::move(tips);
    }
    /// The allocation drawn at a place of the widget.
    [[nodiscard]] std::optional<std::uint32_t> allocationAt(const QPointF& pos) const;
    /// Whether the picture is that of the shown part.
    [[nodiscard]] bool isCurrent() const;
    /// Where an allocation is drawn, in logical pixels; empty: out of view.
    [[nodiscard]] QRectF rectOf(std::uint32_t allocation) const;
    /// In logical pixels.
    [[nodiscard]] QRectF plotRect() const;
    [[nodiscard]] JobRunnerBase& job() { return m_drawer; }

    [[nodiscard]] QSize sizeHint() const override { return {600, 260}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, 120}; }

Q_SIGNALS:
    void allocationClicked(std::optional<std::uint32_t> allocation);
    void allocationHovered(std::optional<std::uint32_t> allocation);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] MapPart shownPart() const;
    [[nodiscard]] MapInks inks() const;
    /// Draws what is shown, or has it drawn.
    void refresh();
    void paintPicture(QPainter& painter) const;
    void paintAxis(QPainter& painter) const;
    void paintSelected(QPainter& painter) const;
    void paintOutlines(QPainter& painter) const;
    void paintAllocation(QPainter& painter) const;
    /// Around the pixels of an allocation that isn't one rectangle.
    [[nodiscard]] QPainterPath pathOf(std::uint32_t allocation) const;
    [[nodiscard]] Coordinates coordinates() const;
    /// The same place of the timeline's plot.
    [[nodiscard]] QPointF above(const QPointF& pos) const;
    void forward(const QMouseEvent& event) const;

    TimelineView& m_above;
    QPointer<Selection> m_selection;
    MapScenePtr m_scene;
    MapPicturePtr m_picture;
    MapInks m_inks; ///< of m_picture
    std::function<QString(std::uint32_t)> m_tips;
    QString m_title;
    QString m_subtitle;
    std::optional<std::uint32_t> m_allocation;
    std::optional<QPointF> m_pressed; ///< by the left button, not moved yet
    bool m_isForwarding = false;      ///< a drag that the timeline gets
    JobRunner<MapPicturePtr> m_drawer;
    std::optional<MapPart> m_drawing;
};

} // namespace plimsoll::ui

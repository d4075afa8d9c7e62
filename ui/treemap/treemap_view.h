// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"

#include <QPixmap>
#include <QWidget>

#include <cstdint>
#include <optional>
#include <vector>

namespace plimsoll::ui {

struct TreemapItem
{
    QString name;
    base::Bytes bytes;
    std::uint8_t ink = 0; ///< of timeline::Layer
    QString tip;          ///< plain text
    bool operator==(const TreemapItem&) const = default;
};

/// Items as rectangles whose areas are their bytes. One of them is current, by mouse or keys.
class TreemapView : public QWidget
{
    Q_OBJECT

public:
    explicit TreemapView(QWidget* parent = nullptr);

    /// Largest first.
    void setItems(std::vector<TreemapItem> items);
    [[nodiscard]] const std::vector<TreemapItem>& items() const { return m_items; }
    void setCurrent(std::optional<std::size_t> item);
    [[nodiscard]] std::optional<std::size_t> current() const { return m_current; }
    [[nodiscard]] std::optional<std::size_t> itemAt(const QPointF& pos) const;
    [[nodiscard]] QRectF rectOf(std::size_t item) const;

    [[nodiscard]] QSize sizeHint() const override { return {320, 200}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {80, 60}; }

Q_SIGNALS:
    void currentChanged(std::optional<std::size_t> item);
    /// Double click, or Enter.
    void activated(std::size_t item);
    void menuWanted(std::size_t item, const QPoint& globalPos);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    void layOut();
    void paintItem(QPainter& painter, std::size_t item) const;
    void choose(std::optional<std::size_t> item);
    void setHovered(std::optional<std::size_t> item);

    std::vector<TreemapItem> m_items;
    std::vector<QRectF> m_rects;
    std::optional<std::size_t> m_current;
    std::optional<std::size_t> m_hovered;
    bool m_hasRing = false;
    mutable QPixmap m_picture; ///< of all items, without marks
};

} // namespace plimsoll::ui

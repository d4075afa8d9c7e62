// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/analysis/flame.h"

#include <QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace plimsoll::ui {

using FlamePtr = std::shared_ptr<const memtrace::Flame>;

/// Functions as bars below those that called them, as wide as their weight, in the colors of the
/// layers that most of it is in. A click makes a bar as
/// wide as the view, with its callers above it.
class FlameView : public QWidget
{
    Q_OBJECT

public:
    /// What is written in a bar, and what its tool tip says.
    struct Texts
    {
        std::function<QString(const memtrace::FlameNode&)> name;
        std::function<QString(const memtrace::FlameNode&, double all)> tip;
    };

    explicit FlameView(Texts texts, QWidget* parent = nullptr);

    void setFlame(FlamePtr flame);
    [[nodiscard]] const FlamePtr& flame() const { return m_flame; }
    /// The bar that is as wide as the view; 0: the root.
    [[nodiscard]] std::uint32_t widest() const { return m_widest; }
    void setWidest(std::uint32_t node);
    void setCurrent(std::optional<std::uint32_t> node);
    [[nodiscard]] std::optional<std::uint32_t> current() const { return m_current; }
    [[nodiscard]] std::optional<std::uint32_t> nodeAt(const QPointF& pos) const;
    /// Null: it isn't drawn.
    [[nodiscard]] QRectF rectOf(std::uint32_t node) const;
    /// Esc: back to the root; false: it is there.
    [[nodiscard]] bool goBack();

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {80, sizeHint().height()}; }

Q_SIGNALS:
    void currentChanged(std::optional<std::uint32_t> node);
    /// Double click, or Enter.
    void activated(std::uint32_t node);
    void menuWanted(std::uint32_t node, const QPoint& globalPos);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Bar
    {
        std::uint32_t node = 0;
        QRectF rect;
    };

    void layOut();
    void place(std::uint32_t node, double left, double width);
    void paintBar(QPainter& painter, const Bar& bar) const;
    void choose(std::optional<std::uint32_t> node);
    [[nodiscard]] const memtrace::FlameNode& at(std::uint32_t node) const
    {
        return m_flame->nodes[node];
    }

    Texts m_texts;
    FlamePtr m_flame;
    std::vector<Bar> m_bars;
    std::uint32_t m_widest = 0;
    std::optional<std::uint32_t> m_current;
    std::uint32_t m_deepest = 0; ///< of the bars that are drawn
    bool m_hasRing = false;
};

} // namespace plimsoll::ui

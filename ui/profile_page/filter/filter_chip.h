// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/filter/filter.h"

#include <QAbstractButton>

namespace plimsoll::ui {

/// One term of a filter: a click edits it, a click on its cross, or Del, removes it. Narrower than
/// its text it is elided; the tool tip then shows all of it.
class FilterChip : public QAbstractButton
{
    Q_OBJECT

public:
    explicit FilterChip(const memtrace::FilterTerm& term, QWidget* parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void editWanted();
    void removeWanted();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] QRectF cross() const;

    QString m_field;
    QString m_value;
    bool m_hasRing = false;
};

} // namespace plimsoll::ui

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/selection.h"

#include <QToolButton>

namespace plimsoll::ui {

/// Tells that a table shows only what concerns a range of steps; a click is to remove the range.
class RangeChip : public QToolButton
{
    Q_OBJECT

public:
    /// `what` is in the range: "values that are used there".
    explicit RangeChip(QString what, QWidget* parent = nullptr);

    /// None: hidden.
    void setRange(std::optional<StepRange> range);
    /// For steps that have names of their own: "12.4 ms – 20.1 ms"; empty: hidden.
    void setRangeText(const QString& text);

private:
    QString m_what;
};

} // namespace plimsoll::ui

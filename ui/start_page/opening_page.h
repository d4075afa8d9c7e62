// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/curve_so_far.h"

#include <QWidget>

class QProgressBar;
class QPushButton;

namespace plimsoll::ui {

class TextLabel;

/// A profile that is being read: the curve of what has been read, progress and Cancel. The curve
/// tells only what changed since the first event; what was live before it is found at the end.
class OpeningPage : public QWidget
{
    Q_OBJECT

public:
    explicit OpeningPage(QWidget* parent = nullptr);

    /// `name`: of the file.
    void show(const QString& name, const base::CurveSoFar::Curve& curve, int perMille);
    /// As shown.
    [[nodiscard]] const base::CurveSoFar::Curve& curve() const;

Q_SIGNALS:
    void cancelRequested();

private:
    class Plot;
    TextLabel* m_title = nullptr;
    TextLabel* m_facts = nullptr;
    Plot* m_plot = nullptr;
    QProgressBar* m_progress = nullptr;
};

} // namespace plimsoll::ui

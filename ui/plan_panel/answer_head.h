// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/evaluate.h"
#include "ui/plan_panel/verdict_box.h"

#include <QWidget>

class QBoxLayout;

namespace plimsoll::ui {

class TextLabel;

/// The answer at the top of the panel: the verdict, the plan's peak and step time, and how they
/// differ from the unplanned step's.
class AnswerHead : public QWidget
{
    Q_OBJECT

public:
    explicit AnswerHead(QWidget* parent = nullptr);

    /// Whether the figures lie beside the verdict, in a row across the window, or below it.
    void setWide(bool isWide);
    void showVerdict(Verdict verdict, const QString& sentence);
    void showFigures(const plan::Evaluation& evaluation, const plan::Evaluation& unplanned);
    /// There is no plan: only the unplanned step's figures are known.
    void showOnlyUnplanned(const plan::Evaluation& unplanned);

private:
    QBoxLayout* m_layout = nullptr;
    VerdictBox* m_verdict = nullptr;
    TextLabel* m_peak = nullptr;
    TextLabel* m_peakDifference = nullptr;
    TextLabel* m_time = nullptr;
    TextLabel* m_timeDifference = nullptr;
};

} // namespace plimsoll::ui

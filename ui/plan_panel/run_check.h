// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/run/will_run.h"
#include "ui/base/job_runner.h"

#include <QObject>
#include <QTimer>

#include <optional>
#include <vector>

namespace plimsoll::ui {

/// What is asked: whether a training loop with this plan runs on a GPU with the budget's memory.
struct RunQuestion
{
    plan::VerifiedPlanPtr plan;
    base::Bytes budget;
    bool isExpandable = false; ///< with PyTorch's expandable segments
};

/// Answers such questions in the background, once no other is asked for a moment. Answers are kept,
/// so that a plan seen before is judged at once.
class RunCheck : public QObject
{
    Q_OBJECT

public:
    explicit RunCheck(QObject* parent = nullptr);

    /// Takes the place of the question before; without a plan nothing is asked.
    void ask(const RunQuestion& question);
    /// Of what was asked last; empty until it is known.
    [[nodiscard]] std::optional<run::RunVerdict> verdict() const;

Q_SIGNALS:
    /// The verdict of what was asked last is known now.
    void answered();

private:
    struct Known
    {
        plan::EvaluationPtr evaluation; ///< which tells plans apart
        base::Bytes budget;
        bool isExpandable = false;
        run::RunVerdict verdict;
    };
    void compute();
    [[nodiscard]] bool isAsked(const Known& known) const;

    RunQuestion m_question;
    std::vector<Known> m_known; ///< newest first
    QTimer m_later;
    JobRunner<run::RunVerdict> m_runner;
};

} // namespace plimsoll::ui

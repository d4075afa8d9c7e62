// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/pack/plan_memory.h"
#include "ui/base/job_runner.h"

#include <QCheckBox>
#include <QTimer>
#include <QWidget>

#include <optional>
#include <utility>
#include <vector>

namespace plimsoll::ui {

class TextLabel;

/// The memory of a plan's blocks once they have addresses: packed, and as reserved by PyTorch's
/// allocator. Packing takes longer than a frame: it runs in the background once no further plan
/// arrives, with dots in place of the figures until then. Costs nothing while hidden.
class MemoryLines : public QWidget
{
    Q_OBJECT

public:
    explicit MemoryLines(QWidget* parent = nullptr);

    /// The plan whose figures are shown beside these, and the budget with which they are compared;
    /// null: none.
    void setPlan(const plan::VerifiedPlanPtr& plan, base::Bytes budget);
    void setExpandable(bool expandable);
    [[nodiscard]] bool isExpandable() const { return m_expandable->isChecked(); }
    /// Of the current plan; empty if they aren't known.
    [[nodiscard]] std::optional<solve::PlanMemory> figures() const;

Q_SIGNALS:
    /// The user chose another kind of segments.
    void expandableChosen();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void build();
    void computeSoon();
    void compute();
    void refresh();
    void showFigures(const solve::PlanMemory& memory);

    plan::VerifiedPlanPtr m_plan;
    base::Bytes m_budget;
    QString m_failure; ///< of packing m_plan; empty: none
    /// By evaluation, which tells plans apart; newest first.
    std::vector<std::pair<plan::EvaluationPtr, solve::PlanMemory>> m_known;
    TextLabel* m_packed = nullptr;
    TextLabel* m_packedNote = nullptr;
    TextLabel* m_reserved = nullptr;
    TextLabel* m_reservedNote = nullptr;
    QCheckBox* m_expandable = nullptr;
    QTimer m_later;
    JobRunner<solve::PlanMemory> m_packer;
};

} // namespace plimsoll::ui

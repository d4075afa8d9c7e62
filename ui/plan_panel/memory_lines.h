// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/pack/plan_memory.h"
#include "ui/base/job_runner.h"
#include "ui/plan_panel/allocator_form.h"

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
    [[nodiscard]] AllocatorForm& form() { return *m_form; }
    /// Of the current plan; empty if they aren't known.
    [[nodiscard]] std::optional<solve::PlanMemory> figures() const;
    /// What is reserved with the current plan and settings; empty if it isn't known.
    [[nodiscard]] std::optional<base::Bytes> reserved() const;

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Known
    {
        plan::EvaluationPtr of; ///< tells plans apart
        solve::PlanMemory memory;
        std::vector<std::pair<allocator::AllocatorSettings, base::Bytes>> reserved;
    };

    void build();
    [[nodiscard]] const Known* known() const;
    void computeSoon();
    void compute();
    void refresh();
    void showFigures(const solve::PlanMemory& memory);

    plan::VerifiedPlanPtr m_plan;
    base::Bytes m_budget;
    QString m_failure;          ///< of packing m_plan; empty: none
    std::vector<Known> m_known; ///< newest first
    TextLabel* m_packed = nullptr;
    TextLabel* m_packedNote = nullptr;
    TextLabel* m_reserved = nullptr;
    TextLabel* m_reservedNote = nullptr;
    AllocatorForm* m_form = nullptr;
    QTimer m_later;
    JobRunner<Known> m_packer;
};

} // namespace plimsoll::ui

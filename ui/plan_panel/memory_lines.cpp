// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_panel/memory_lines.h"

#include "ui/base/help_context.h"
#include "ui/base/numbers.h"
#include "ui/base/widgets.h"

#include <QGridLayout>

namespace plimsoll::ui {

namespace {

constexpr int kDelay = 150; ///< ms without another plan
constexpr std::size_t kKnown = 64;
constexpr int kFigureWidth = 68;

} // namespace

MemoryLines::MemoryLines(QWidget* parent) : QWidget{parent}
{
    setManualPage(*this, QStringLiteral("concepts.md#addresses"));
    build();
    m_later.setSingleShot(true);
    m_later.setInterval(kDelay);
    connect(&m_later, &QTimer::timeout, this, &MemoryLines::compute);
    refresh();
}

void MemoryLines::build()
{
    const Theme& theme = Theme::current();
    auto* grid = new QGridLayout{this};
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(theme.px(8));
    grid->setVerticalSpacing(theme.px(2));
    const auto add = [this, grid](const QString& name, int row) {
        grid->addWidget(new TextLabel{name, TextRole::Body, Role::Muted, this}, row, 0);
        auto* figure = new TextLabel{{}, TextRole::Strong, Role::Text, this};
        figure->setSteady(kFigureWidth);
        grid->addWidget(figure, row, 1);
        return figure;
    };
    m_packed = add(tr("Packed"), 0);
    m_reserved = add(tr("Reserved"), 1);
    m_packedNote = new TextLabel{{}, TextRole::Small, Role::Muted, this};
    m_reservedNote = new TextLabel{{}, TextRole::Small, Role::Muted, this};
    m_packedNote->setSteady();
    m_reservedNote->setSteady();
    m_expandable = new QCheckBox{tr("PyTorch's expandable segments"), this};
    m_expandable->setToolTip(
        tr("With PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, the allocator maps memory as it "
           "goes and leaves fewer gaps."));
    grid->addWidget(m_packedNote, 0, 2);
    grid->addWidget(m_reservedNote, 1, 2);
    grid->addWidget(m_expandable, 2, 1, 1, 2);
    grid->setColumnMinimumWidth(0, theme.px(kFieldLabelWidth));
    grid->setColumnStretch(2, 1);
    setAccessibleName(tr("Memory with addresses"));
    setToolTip(tr("Packed: all of the plan's blocks at fixed addresses. Reserved: what PyTorch's "
                  "caching allocator takes from the GPU in this step, with its default settings or "
                  "with expandable segments, as chosen below. Both include the reserve."));
    connect(m_expandable, &QCheckBox::clicked, this, [this] {
        refresh();
        Q_EMIT expandableChosen();
    });
}

void MemoryLines::setPlan(const plan::VerifiedPlanPtr& plan, base::Bytes budget)
{
    const bool isOther = !plan || !m_plan || plan->evaluationPtr() != m_plan->evaluationPtr();
    m_plan = plan;
    m_budget = budget;
    if (isOther) {
        m_packer.stop();
        m_failure.clear();
    }
    if (!m_packer.isRunning() || isOther)
        computeSoon();
    refresh();
}

void MemoryLines::setExpandable(bool expandable)
{
    m_expandable->setChecked(expandable);
    refresh();
}

std::optional<solve::PlanMemory> MemoryLines::figures() const
{
    if (m_plan)
        for (const auto& [evaluation, memory] : m_known)
            if (evaluation == m_plan->evaluationPtr())
                return memory;
    return std::nullopt;
}

void MemoryLines::computeSoon()
{
    m_later.stop();
    if (m_plan && m_failure.isEmpty() && !figures() && isVisible())
        m_later.start();
}

void MemoryLines::compute()
{
    m_packer.start(
        [plan = m_plan](const base::JobContext& job) -> base::Result<solve::PlanMemory> {
            base::Result<solve::PlanMemory> memory = solve::planMemory(*plan, job);
            if (job.stopRequested()) // a partial result isn't the plan's packed height
                return base::cancelled();
            return memory;
        },
        [this, plan = m_plan](const base::Result<solve::PlanMemory>& memory) {
            if (memory) {
                m_known.insert(m_known.begin(), {plan->evaluationPtr(), *memory});
                if (m_known.size() > kKnown)
                    m_known.pop_back();
            } else if (plan == m_plan && memory.error().kind != base::ErrorKind::Cancelled) {
                m_failure = QString::fromStdString(base::told(memory.error()));
            }
            refresh();
        });
}

void MemoryLines::refresh()
{
    if (const std::optional<solve::PlanMemory> memory = figures()) {
        showFigures(*memory);
        return;
    }
    const bool isComing = m_plan && m_failure.isEmpty();
    for (TextLabel* figure : {m_packed, m_reserved})
        figure->setText(isComing ? QStringLiteral("…") : unknownText());
    m_packedNote->setText({});
    m_reservedNote->setColor(m_failure.isEmpty() ? Role::Muted : Role::Danger);
    m_reservedNote->setText(m_failure);
}

void MemoryLines::showFigures(const solve::PlanMemory& memory)
{
    m_packed->setText(ui::bytesText(memory.packedHeight, Rounding::Up));
    m_packedNote->setText(
        memory.packedHeight == memory.packedLowerBound
            ? tr("at the lower bound")
            : tr("lower bound %1").arg(ui::bytesText(memory.packedLowerBound, Rounding::Down)));
    const base::Bytes reserved = isExpandable() ? memory.reservedExpandable : memory.reserved;
    const base::Bytes overPeak = reserved - m_plan->evaluation().peak;
    m_reserved->setText(ui::bytesText(reserved, Rounding::Up));
    m_reservedNote->setColor(Role::Muted);
    // With less memory than that, PyTorch empties its cache before it fails: that is the verdict's.
    m_reservedNote->setText(
        reserved > m_budget ? tr("without a limit")
                            : tr("%1 over the peak").arg(shortBytesText(overPeak, Rounding::Up)));
}

void MemoryLines::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    computeSoon();
}

} // namespace plimsoll::ui

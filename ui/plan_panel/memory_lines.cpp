// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_panel/memory_lines.h"

#include "core/base/try.h"
#include "core/run/reserved_table.h"
#include "ui/base/help_context.h"
#include "ui/base/numbers.h"
#include "ui/base/widgets.h"

#include <QGridLayout>

#include <algorithm>

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
    m_form = new AllocatorForm{this};
    grid->addWidget(m_packedNote, 0, 2);
    grid->addWidget(m_reservedNote, 1, 2);
    grid->addWidget(m_form, 2, 0, 1, 3);
    grid->setColumnMinimumWidth(0, theme.px(kFieldLabelWidth));
    grid->setColumnStretch(2, 1);
    setAccessibleName(tr("Memory with addresses"));
    setToolTip(tr("Packed: all of the plan's blocks at fixed addresses. Reserved: what PyTorch's "
                  "caching allocator takes from the GPU in a training loop, with the settings "
                  "below. Both include the reserve."));
    connect(m_form, &AllocatorForm::settingsChanged, this, [this] {
        m_packer.stop();
        computeSoon();
        refresh();
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

const MemoryLines::Known* MemoryLines::known() const
{
    if (m_plan)
        for (const Known& row : m_known)
            if (row.of == m_plan->evaluationPtr())
                return &row;
    return nullptr;
}

std::optional<solve::PlanMemory> MemoryLines::figures() const
{
    const Known* row = known();
    return row != nullptr ? std::optional{row->memory} : std::nullopt;
}

std::optional<base::Bytes> MemoryLines::reserved() const
{
    if (const Known* row = known())
        for (const auto& [settings, bytes] : row->reserved)
            if (settings == m_form->settings())
                return bytes;
    return std::nullopt;
}

void MemoryLines::computeSoon()
{
    m_later.stop();
    if (m_plan && m_failure.isEmpty() && !reserved() && isVisible())
        m_later.start();
}

void MemoryLines::compute()
{
    Known row{m_plan->evaluationPtr(), {}, {}};
    if (const Known* before = known())
        row = *before;
    m_packer.start(
        [row, plan = m_plan,
         settings = m_form->settings()](const base::JobContext& job) -> base::Result<Known> {
            Known found = row;
            if (found.reserved.empty()) {
                ASSIGN_OR_RETURN(found.memory, solve::planMemory(*plan, job));
                found.reserved = {{{}, found.memory.reserved},
                                  {{.expandableSegments = true}, found.memory.reservedExpandable}};
            }
            const auto isOfSettings = [&](const auto& pair) { return pair.first == settings; };
            if (std::ranges::none_of(found.reserved, isOfSettings)) {
                const auto reserved = run::reservedBy(*plan, settings, job.stop);
                found.reserved.emplace_back(settings, reserved.value_or(base::Bytes{}));
            }
            if (job.stopRequested()) // a partial result isn't the packed height
                return base::cancelled();
            return found;
        },
        [this, plan = m_plan](const base::Result<Known>& found) {
            if (found) {
                std::erase_if(m_known, [&](const Known& old) { return old.of == found->of; });
                m_known.insert(m_known.begin(), *found);
                if (m_known.size() > kKnown)
                    m_known.pop_back();
            } else if (plan == m_plan && found.error().kind != base::ErrorKind::Cancelled) {
                m_failure = QString::fromStdString(base::told(found.error()));
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
            ? tr("without gaps")
            : tr("at least %1").arg(ui::bytesText(memory.packedLowerBound, Rounding::Up)));
    m_reservedNote->setColor(Role::Muted);
    const std::optional<base::Bytes> bytes = reserved();
    m_reserved->setText(bytes ? ui::bytesText(*bytes, Rounding::Up) : QStringLiteral("…"));
    // With less memory than that, PyTorch empties its cache before it fails: that is the verdict's.
    m_reservedNote->setText(
        !bytes ? QString{}
        : *bytes > m_budget
            ? tr("without a limit")
            : tr("%1 over the peak")
                  .arg(shortBytesText(*bytes - m_plan->evaluation().peak, Rounding::Up)));
}

void MemoryLines::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    computeSoon();
}

} // namespace plimsoll::ui

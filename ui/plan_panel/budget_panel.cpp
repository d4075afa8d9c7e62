// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_panel/budget_panel.h"

#include "core/device/known_devices.h"
#include "core/device/workspaces.h"
#include "core/graph/batch_statistics.h"
#include "ui/base/help_context.h"
#include "ui/base/icons.h"
#include "ui/base/numbers.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"
#include "ui/budget_timeline/budget_values.h"
#include "ui/models/program_texts.h"
#include "ui/plan_panel/answer_head.h"
#include "ui/plan_panel/gauge.h"
#include "ui/plan_panel/memory_lines.h"
#include "ui/plan_panel/next_steps.h"
#include "ui/plan_panel/run_texts.h"
#include "ui/plan_tables/planner_table.h"
#include "ui/problem_form/device_list.h"
#include "ui/problem_form/option_form.h"
#include "ui/problem_form/parallel_form.h"
#include "ui/problem_form/size_form.h"

#include <QComboBox>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QToolButton>

#include <algorithm>

namespace plimsoll::ui {

namespace {

constexpr int kGrows = 100; ///< gets the room that is left before what only fills it

QFrame* separator(QWidget* parent)
{
    auto* line = new QFrame{parent};
    line->setProperty("line", true);
    return line;
}

/// The text of a field. Only edited text is read back, so rounding does no harm.
QString editText(base::Bytes bytes)
{
    if (bytes.count() == 0)
        return QStringLiteral("0 MiB");
    // A plain space, since the text is edited and read back.
    return ui::bytesText(bytes).replace(QChar{u'\u00a0'}, QChar{u' '});
}

/// The values that "90 %" and "4060" refer to in the Budget field.
BudgetContext budgetContext(base::Bytes budget, base::Bytes unplanned,
                            const workspace::Choices& choices)
{
    BudgetContext context{budget, unplanned, {}};
    for (const plan::Device& device : plan::builtInDevices())
        context.devices.push_back(
            {device.memory, QString::fromStdString(device.name), device.id == choices.device.id});
    return context;
}

} // namespace

BudgetPanel::BudgetPanel(QWidget* parent) : QWidget{parent}
{
    setManualPage(*this, QStringLiteral("window.md#budget-panel"));
    auto* column = makeColumn(this);
    m_head = new AnswerHead{this};
    column->addWidget(m_head);
    column->addWidget(separator(this));
    // The answer stays in view: only what is below it scrolls.
    auto* content = new QWidget;
    makeColumn(content, 8, {12, 10, 12, 10});
    auto* area = new QScrollArea{this};
    area->setWidget(content);
    area->setWidgetResizable(true);
    content->setAutoFillBackground(false); // else it would have the window's colour
    area->setFocusPolicy(Qt::NoFocus);     // its content takes the focus
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFrameShape(QFrame::NoFrame);
    column->addWidget(area, 1);
    buildDetails(*content);
    buildForm(*content);
    buildOptions(*content);
}

void BudgetPanel::takeHead()
{
    static_cast<QVBoxLayout*>(layout())->insertWidget(0, m_head);
}

void BudgetPanel::buildDetails(QWidget& content)
{
    auto* column = qobject_cast<QVBoxLayout*>(content.layout());
    m_detailsButton = new QToolButton{this};
    m_detailsButton->setText(tr("Details of the answer"));
    m_detailsButton->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_detailsButton->setAutoRaise(true);
    m_detailsButton->setCheckable(true);
    column->addWidget(m_detailsButton);
    m_details = new QWidget{this};
    auto* details = makeColumn(m_details, 6);
    m_runText = makeDetail();
    m_boundsText = makeDetail();
    m_memory = new MemoryLines{this};
    // The settings first: they stay in their place when the texts change.
    for (QWidget* part : {static_cast<QWidget*>(m_memory), static_cast<QWidget*>(m_runText),
                          static_cast<QWidget*>(m_boundsText)})
        details->addWidget(part);
    column->addWidget(m_details);
    m_next = new NextSteps{this}; // begins with a line
    connect(m_next, &NextSteps::chosen, this, &BudgetPanel::budgetCommitted);
    column->addWidget(m_next);
    column->addWidget(separator(this));
    connect(m_detailsButton, &QToolButton::toggled, this, &BudgetPanel::showDetails);
    showDetails(false);
}

QLabel* BudgetPanel::makeDetail()
{
    auto* label = new QLabel{this};
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

void BudgetPanel::showDetails(bool shown)
{
    m_detailsButton->setChecked(shown);
    m_detailsButton->setArrowType(shown ? Qt::DownArrow : Qt::RightArrow);
    m_details->setVisible(shown);
}

void BudgetPanel::buildForm(QWidget& content)
{
    const Theme& theme = Theme::current();
    auto* column = qobject_cast<QVBoxLayout*>(content.layout());
    auto* form = makeForm(nullptr, 8, 6);
    m_device = new FittingCombo{this};
    fillDevices();
    m_budgetEdit = new QLineEdit{this};
    m_reserveEdit = new QLineEdit{this};
    m_gauge = new Gauge{this};
    m_gaugeText = new TextLabel{{}, TextRole::Small, Role::Muted, this};
    m_gaugeText->setSteady();
    m_budgetError = makeErrorLabel(this);
    m_reserveError = makeErrorLabel(this);
    m_planner = new QComboBox{this};
    for (const auto& planner : solve::planners())
        m_planner->addItem(QString::fromStdString(planner->descriptor().id),
                           QString::fromStdString(planner->descriptor().id));
    m_planners = new PlannerTable{this};
    m_device->setIconSize({theme.px(16), theme.px(16)});
    for (QComboBox* combo : {m_device, m_planner}) { // a long name must not widen the dock
        combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        combo->setMinimumContentsLength(8);
    }
    addField(*form, tr("GPU"), m_device);
    addField(*form, tr("Budget"), m_budgetEdit, budgetHint());
    form->addRow(QString{}, m_gauge);
    form->addRow(QString{}, m_gaugeText);
    column->addLayout(form);
    column->addWidget(m_budgetError); // in a form layout it would have the height of one line
    form = makeForm(nullptr, 8, 6);
    addField(*form, tr("Reserve"), m_reserveEdit,
             tr("Memory kept free for the CUDA context and workspaces; part of the budget."));
    m_reserveText = new TextLabel{{}, TextRole::Small, Role::Muted, this};
    form->addRow(QString{}, m_reserveText);
    column->addLayout(form);
    column->addWidget(m_reserveError);
    m_sizes = new SizeForm{this};
    column->addWidget(m_sizes);
    m_parallel = new ParallelForm{this};
    column->addWidget(m_parallel);
    column->addWidget(separator(this));
    auto* planning = makeForm(nullptr, 8, 0);
    addField(*planning, tr("Planner"), m_planner);
    column->addLayout(planning);
    column->addWidget(m_planners->note());
    column->addWidget(m_planners, kGrows);
    column->addWidget(separator(this));
    m_options = new OptionForm{this};
    m_device->setAccessibleDescription(
        tr("The GPU whose memory is budgeted and for which times are estimated."));
    m_planner->setAccessibleDescription(
        tr("Decides which values are kept and which are recomputed."));
    connect(m_device, &QComboBox::activated, this, &BudgetPanel::chooseDevice);
    connect(m_planner, &QComboBox::activated, this,
            [this](int row) { choosePlanner(m_planner->itemData(row).toString()); });
    connect(m_planners, &PlannerTable::plannerChosen, this, &BudgetPanel::choosePlanner);
    connect(m_options, &OptionForm::optionChosen, this,
            [this](const QString& name, const solve::OptionValue& value) {
                m_choices.options[name.toStdString()] = value;
                Q_EMIT choicesChanged(m_choices);
            });
    connect(m_sizes, &SizeForm::sizesChosen, this, [this](const workspace::Sizes& sizes) {
        m_choices.sizes = sizes;
        Q_EMIT choicesChanged(m_choices);
    });
    connect(m_parallel, &ParallelForm::settingChosen, this,
            [this](const std::optional<plan::DataParallel>& setting) {
                m_choices.parallel = setting;
                Q_EMIT choicesChanged(m_choices);
            });
    connect(m_budgetEdit, &QLineEdit::editingFinished, this, &BudgetPanel::readBudget);
    connect(m_reserveEdit, &QLineEdit::editingFinished, this, &BudgetPanel::readReserve);
}

void BudgetPanel::fillDevices()
{
    m_device->clear();
    for (const plan::Device& device : devicesToChoose(m_ownDevices, m_choices.device))
        m_device->addItem(icon(QStringLiteral("gpu")),
                          shortDeviceName(device) + QStringLiteral(" · ")
                              + capacityText(device.memory),
                          QString::fromStdString(device.id));
    m_device->insertSeparator(m_device->count());
    m_device->addItem(tr("Other GPU…"));
    m_device->setCurrentIndex(m_device->findData(QString::fromStdString(m_choices.device.id)));
}

void BudgetPanel::chooseDevice(int row)
{
    const QString id = m_device->itemData(row).toString();
    if (id.isEmpty()) {
        m_device->setCurrentIndex(m_device->findData(QString::fromStdString(m_choices.device.id)));
        Q_EMIT otherDeviceWanted();
        return;
    }
    const base::Result<plan::Device> device = plan::findDevice(id.toStdString());
    if (!device)
        return;
    if (*device == m_choices.device) {
        Q_EMIT deviceConfirmed();
        return;
    }
    workspace::setDevice(m_choices, *m_recorded, *device);
    Q_EMIT choicesChanged(m_choices);
}

void BudgetPanel::showDevices()
{
    m_device->setFocus();
    m_device->showPopup();
}

void BudgetPanel::choosePlanner(const QString& id)
{
    m_choices.planner = id.toStdString();
    m_choices.options.clear();
    Q_EMIT choicesChanged(m_choices);
}

void BudgetPanel::buildOptions(QWidget& content)
{
    auto* column = qobject_cast<QVBoxLayout*>(content.layout());
    column->addWidget(new TextLabel{tr("Planner's options"), TextRole::Strong, Role::Text, this});
    column->addWidget(m_options);
    column->addStretch(1);
    column->addWidget(separator(this));
    m_notModelled = new QLabel{this};
    m_notModelled->setWordWrap(true);
    m_notModelled->setText(
        tr("Not modelled: most scratch memory inside kernels, and fragmentation in the peak."));
    m_notModelled->setForegroundRole(QPalette::PlaceholderText);
    column->addWidget(m_notModelled);
}

void BudgetPanel::setRecorded(const graph::ProgramPtr& recorded)
{
    m_recorded = recorded;
    m_sizes->setRecorded(recorded);
    m_parallel->setRecorded(*recorded);
    // If recomputations could update batch norm's statistics a second time.
    m_options->setShown("freeze-stats",
                        std::ranges::any_of(recorded->ops, [&](const graph::Op& op) {
                            return graph::updatesStatistics(*recorded, op);
                        }));
}

void BudgetPanel::setChoices(const workspace::Choices& choices)
{
    m_choices = choices;
    fillDevices();
    m_planner->setCurrentIndex(m_planner->findData(QString::fromStdString(choices.planner)));
    const QString page = QStringLiteral("planners.md#") + QString::fromStdString(choices.planner);
    for (QWidget* widget : {static_cast<QWidget*>(m_planner), static_cast<QWidget*>(m_planners)})
        setManualPage(*widget, page);
    m_options->setOptions(choices.planner, choices.options);
    m_sizes->setSizes(choices.sizes);
    m_parallel->setSetting(choices.parallel, choices.device);
    showReserve();
}

void BudgetPanel::showReserve()
{
    m_reserveEdit->setText(editText(m_choices.reserve));
    m_reserveText->setText(
        m_recorded == nullptr
            ? QString{}
            : QString::fromStdString(plan::reserveOrigin(
                m_choices.reserve, workspace::reservedWorkspaces(*m_recorded, m_choices.device))));
}

void BudgetPanel::setOwnDevices(const std::vector<plan::Device>& devices)
{
    m_ownDevices = devices;
    fillDevices();
}

void BudgetPanel::setBudget(base::Bytes budget)
{
    m_budget = budget;
    if (!m_budgetEdit->hasFocus() || !m_budgetEdit->isModified())
        m_budgetEdit->setText(editText(budget));
    m_budgetError->hide();
}

void BudgetPanel::readBudget()
{
    const QString text = m_budgetEdit->text();
    m_budgetEdit->setModified(false);
    if (text == editText(m_budget))
        return;
    const base::Result<base::Bytes> budget =
        parseBudget(text, budgetContext(m_budget, m_unplannedPeak, m_choices));
    if (!budget || budget->count() == 0) {
        m_budgetError->setText(budget ? tr("The budget must be larger than 0.")
                                      : QString::fromStdString(budget.error().message));
        m_budgetError->show();
        m_budgetEdit->setText(editText(m_budget));
        return;
    }
    m_budgetError->hide();
    Q_EMIT budgetCommitted(*budget);
}

void BudgetPanel::readReserve()
{
    const QString text = m_reserveEdit->text();
    if (text == editText(m_choices.reserve))
        return;
    const base::Result<base::Bytes> reserve = parseBytes(text);
    const bool tooLarge = reserve && *reserve >= m_choices.device.memory;
    if (!reserve || tooLarge) {
        m_reserveError->setText(tooLarge ? tr("The reserve must be smaller than the GPU's memory.")
                                         : QString::fromStdString(reserve.error().message));
        m_reserveError->show();
        m_reserveEdit->setText(editText(m_choices.reserve));
        return;
    }
    m_reserveError->hide();
    m_choices.reserve = *reserve;
    showReserve();
    Q_EMIT choicesChanged(m_choices);
}

void BudgetPanel::showUnplanned(const plan::VerifiedPlanPtr& unplanned)
{
    m_unplannedPeak = unplanned->evaluation().peak;
    m_head->showFigures(unplanned->evaluation(), unplanned->evaluation());
    m_parallel->showSpent(unplanned->evaluation());
    m_memory->setPlan(unplanned, m_choices.device.memory);
    m_gauge->setValues(m_choices.device.memory, m_choices.reserve, m_budget, m_unplannedPeak);
    m_gaugeText->setText({});
    judgeNothing(Verdict::Neutral, tr("Planning for %1…").arg(ui::bytesText(m_budget)));
}

void BudgetPanel::showPlan(const workspace::Planned& planned, const run::PlanChoice& choice)
{
    const plan::VerifiedPlanPtr& plan = choice.plan;
    m_unplannedPeak = planned.unplanned->evaluation().peak;
    m_memory->setPlan(plan, m_budget);
    std::optional<base::Bytes> peak;
    if (plan) {
        peak = plan->evaluation().peak;
        m_head->showFigures(plan->evaluation(), planned.unplanned->evaluation());
        m_parallel->showSpent(plan->evaluation());
        // The budget includes the reserve, so compare it with the GPU's full memory.
        const base::Bytes memory = m_choices.device.memory;
        const bool isOver = m_budget > memory;
        m_gaugeText->setColor(isOver ? Role::Warn : Role::Muted);
        m_gaugeText->setText(
            isOver ? tr("Over this GPU's %1.").arg(ui::bytesText(memory))
                   : tr("peak %1 of %2")
                         .arg(ui::bytesText(*peak, Rounding::Up), ui::budgetText(m_budget, *peak)));
        m_boundsText->hide();
        judgePlan(choice);
    } else {
        showNoPlan(planned);
    }
    m_gauge->setValues(m_choices.device.memory, m_choices.reserve, m_budget, peak);
}

void BudgetPanel::judgePlan(const run::PlanChoice& choice)
{
    const Judgement judgement = judge(choice, m_budget, m_leastBudget);
    m_head->showVerdict(judgement.verdict, judgement.sentence);
    const QString details = runDetails(choice);
    m_runText->setText(details);
    m_runText->setVisible(!details.isEmpty());
}

void BudgetPanel::judgeNothing(Verdict verdict, const QString& sentence)
{
    m_head->showVerdict(verdict, sentence);
    m_runText->hide();
    m_boundsText->hide();
}

void BudgetPanel::showNoPlan(const workspace::Planned& planned)
{
    m_head->showOnlyUnplanned(planned.unplanned->evaluation());
    m_gaugeText->setColor(Role::Danger);
    m_gaugeText->setText(
        m_budget < planned.peakBound.bytes ? tr("below the lower bound")
        : m_leastBudget ? tr("%1 short").arg(ui::bytesText(*m_leastBudget - m_budget, Rounding::Up))
                        : tr("no plan"));
    judgeNothing(Verdict::Bad, withLeastBudget((m_budget < planned.peakBound.bytes
                                                    ? tr("No plan fits %1.")
                                                    : tr("No plan for %1 is known."))
                                                   .arg(ui::bytesText(m_budget))));
}

QString BudgetPanel::withLeastBudget(const QString& sentence) const
{
    return m_leastBudget ? tr("%1 Smallest without cache flushes: %2.")
                               .arg(sentence, ui::bytesText(*m_leastBudget, Rounding::Up))
                         : sentence;
}

void BudgetPanel::showAnswer(const workspace::Planned& planned, const solve::Outcome& outcome,
                             const run::PlanChoice& choice)
{
    showPlan(planned, choice);
    if (outcome.best) {
        const QString bounds = boundsText(planned, outcome);
        m_boundsText->setText(bounds);
        m_boundsText->setVisible(!bounds.isEmpty());
        return;
    }
    const graph::Program& program = *planned.unplanned->problem().step();
    QString bound = ui::bytesText(outcome.peakBound.bytes, Rounding::Up);
    if (bound == ui::bytesText(m_budget)) // "No plan fits 6.00 GiB: 6.00 GiB must be live"
        bound = ui::exactBytesText(outcome.peakBound.bytes);
    const bool isAuto = m_choices.planner == solve::kDefaultPlanner;
    const QString budget = ui::bytesText(m_budget);
    const QString who = isAuto ? tr("No plan for %1 was found.").arg(budget)
                               : tr("The planner %1 found no plan for %2.")
                                     .arg(QString::fromStdString(m_choices.planner), budget);
    const QString why =
        outcome.status == solve::Status::Infeasible
            ? tr("No plan fits %1: %2 must be live at once at %3.")
                  .arg(ui::bytesText(m_budget), bound, opPlace(program, outcome.peakBound.op))
            : who + u' ' + tr("Below %1 there is none.").arg(bound);
    judgeNothing(Verdict::Bad, withLeastBudget(why));
}

void BudgetPanel::showOutdated(const workspace::Planned& planned, const run::PlanChoice& choice,
                               bool isPlanning)
{
    showPlan(planned, choice);
    const workspace::Choices& former = planned.choices;
    const QString size = sizeText(*planned.program());
    const QString settings =
        tr("%1 with %2 in reserve")
            .arg(QString::fromStdString(former.device.name), editText(former.reserve))
        + (size.isEmpty() ? QString{} : tr(" at %1").arg(size))
        + (former.parallel ? tr(", one of %1 processes").arg(former.parallel->world) : QString{});
    judgeNothing(Verdict::Neutral,
                 (isPlanning ? tr("Planning. Until it finishes, the figures are for %1.")
                             : tr("Not planned for the present settings. The figures are for "
                                  "%1; Plan Now tries again."))
                     .arg(settings));
}

} // namespace plimsoll::ui

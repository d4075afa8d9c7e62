// SPDX-License-Identifier: Apache-2.0
#include "ui/planner_page/planner_page.h"

#include "core/graph/find_index.h"
#include "ui/base/file_dialog.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/document_page/pages_dock.h"

#include <QFileInfo>
#include <QJsonObject>

#include <algorithm>
#include <mutex>
#include <optional>

namespace plimsoll::ui {

namespace {
constexpr int kRestDelay = 60; ///< ms without a move of the line until the hand counts as resting
constexpr QLatin1String kMeasurementMessage{"measurement"};
} // namespace

/// An index for searching a program; built by the first search, on its thread.
struct ProgramIndex
{
    std::once_flag once;
    std::optional<graph::FindIndex> index;
};

PlannerPage::PlannerPage(workspace::DocumentPtr plan, Settings& settings,
                         const PlannerLayout& layout, QWidget* parent)
    : DocumentPage{std::move(plan), parent}
    , m_settings{settings}
    , m_document{dynamic_cast<workspace::PlanDocument&>(kept()), keeper()}
    , m_exporter{*this, m_document, settings,
                 [this] {
                     std::vector<std::filesystem::path> graphs;
                     for (PlannerPage* open : window()->findChildren<PlannerPage*>())
                         graphs.push_back(open->document().document().graph.path);
                     return graphs;
                 }}
    , m_times{*this, m_document, settings}
    , m_index{std::make_shared<ProgramIndex>()}
    , m_shown{m_document.shownPlan()}
{
    m_restTimer.setSingleShot(true);
    m_restTimer.setInterval(kRestDelay);
    setCentre(m_views.emplace_back(QString{}, layout.centre(*this)).second.widget);
    for (const auto& [dock, kinds] : layout.docks) {
        addDock(dock);
        for (const PlannerViewKind& kind : kinds)
            if (QWidget* view = m_views.emplace_back(kind.id, kind.make(*this)).second.widget)
                addView(dock.id, view, kind.title, kind.narrowTitle);
    }
    connectDocument();
    showPlanned();
    show(Change::Runs | Change::Choices);
    showAnswer();
    showNotes();
}

PlannerPage::~PlannerPage()
{
    m_document.disconnect(this);
    // So would the views, which outlive the members.
    for (QObject* child : findChildren<QObject*>())
        child->disconnect(this);
}

void PlannerPage::connectDocument()
{
    connect(&m_document, &DocumentController::plannedChanged, this, &PlannerPage::showPlanned);
    connect(&m_document, &DocumentController::answerChanged, this, &PlannerPage::showAnswer);
    connect(&m_document.runs(), &DocumentRuns::changed, this, [this] { show(Change::Runs); });
    connect(&m_document, &DocumentController::choicesChanged, this,
            [this] { show(Change::Choices); });
    connect(&m_document, &DocumentController::pinPricesChanged, this,
            [this] { show(Change::PinPrices); });
    connect(&m_document, &DocumentController::overlayChanged, this, [this] {
        alignMeasurement();
        show(Change::Overlay);
    });
    connect(&m_document, &DocumentController::planningChanged, this, [this] {
        show(Change::Progress);
        if (m_document.isOutdated())
            showAnswer();
    });
    connect(&m_document, &DocumentController::planningProgressed, this,
            [this] { show(Change::Progress); });
    connect(&m_restTimer, &QTimer::timeout, this, [this] { show(Change::AtRest); });
    connect(&m_document, &DocumentController::titleChanged, this, &PlannerPage::stateChanged);
    connect(&m_selection, &Selection::stepChanged, this, &PlannerPage::stateChanged);
    connect(&m_document, &DocumentController::becameIdle, this, &PlannerPage::notifyIdle);
    connect(&m_exporter.job(), &JobRunnerBase::idle, this, &PlannerPage::notifyIdle);
    connect(&m_times.job(), &JobRunnerBase::idle, this, &PlannerPage::notifyIdle);
    connect(&m_times.job(), &JobRunnerBase::runningChanged, this, &PlannerPage::stateChanged);
    for (const auto& [id, view] : m_views)
        for (const JobRunnerBase* job : view.jobs)
            connect(job, &JobRunnerBase::idle, this, &PlannerPage::notifyIdle);
}

void PlannerPage::show(Changes what)
{
    const PlannerState now = state();
    for (const auto& [id, view] : m_views)
        view.update(now, what);
    Q_EMIT stateChanged();
}

void PlannerPage::showPlanned()
{
    const std::vector<graph::Op>& ops = m_document.program()->ops;
    m_isMeasured =
        std::ranges::any_of(ops, [](const graph::Op& op) { return op.measured.has_value(); });
    alignMeasurement();
    show(Change::Planned);
}

void PlannerPage::showAnswer()
{
    m_shown = isWaiting() ? m_document.planned()->unplanned : m_document.shownPlan();
    if (m_document.isDragging()) {
        m_restTimer.start(); // restart
        show(Change::Answer);
    } else {
        m_restTimer.stop();
        show(Change::Answer | Change::AtRest);
    }
}

PlannerState PlannerPage::state() const
{
    return {m_document.document(),
            *m_document.planned(),
            m_document.outcome(),
            m_document.choice(),
            m_document.chooser().plans(),
            m_document.chooser().isByRun(),
            m_shown,
            m_laid,
            m_aligner.isRunning(),
            m_document.budget(),
            m_document.isDragging(),
            m_document.isPlanned(),
            m_document.isDeferred(),
            m_document.isPlanning(),
            m_document.isOutdated(),
            m_document.isRefined(),
            isWaiting(),
            m_document.planningFor()};
}

bool PlannerPage::isWaiting() const
{
    return !m_document.isPlanned() && m_document.isPlanning() && !m_document.outcome().best;
}

void PlannerPage::showView(const QString& id)
{
    for (const auto& [viewId, view] : m_views)
        if (PagesDock* dock = viewId == id ? dockOf(view.widget) : nullptr)
            dock->showPage(view.widget);
}

void PlannerPage::selectOp(graph::OpId op, bool recomputed)
{
    m_selection.setStep(m_shown->evaluation().schedule->stepOf(op, recomputed));
}

bool PlannerPage::goBack()
{
    return std::ranges::any_of(
        m_views, [](const auto& entry) { return entry.second.goBack && entry.second.goBack(); });
}

void PlannerPage::addToView(QJsonObject& view) const
{
    for (const auto& [id, part] : m_views)
        if (part.store)
            part.store(view);
}

void PlannerPage::restoreFrom(const QJsonObject& view)
{
    for (const auto& [id, part] : m_views)
        if (part.restore)
            part.restore(view);
}

DocumentPage::Search PlannerPage::searchFor(const QString& query)
{
    return [program = m_document.document().graph.program, lazy = m_index,
            text = query.toStdString()](const base::JobContext& job) {
        std::call_once(lazy->once, [&] { lazy->index.emplace(*program); });
        Hits hits;
        for (const graph::OpId op : lazy->index->find(text, job))
            hits.push_back(op.index());
        return base::Result<Hits>{std::move(hits)};
    };
}

void PlannerPage::showHit(std::size_t op)
{
    const std::vector<std::int32_t>& steps = m_shown->evaluation().schedule->stepOfOp;
    if (op < steps.size() && steps[op] >= 0)
        Q_EMIT stepWanted(static_cast<std::size_t>(steps[op]));
}

void PlannerPage::alignMeasurement()
{
    m_laid = {};
    const workspace::OverlayPtr overlay = m_document.document().overlay;
    if (!overlay) {
        m_aligner.stop();
        return;
    }
    const workspace::PlannedPtr planned = m_document.planned();
    if (planned->recorded() == overlay->over.program
        && planned->choices.device == overlay->over.device)
        m_laid.unplanned = overlay->unplanned;
    m_aligner.start(
        [overlay, planned](const base::JobContext& job) {
            return workspace::alignRuns(*overlay, *planned, job);
        },
        [this, overlay, planned](base::Result<workspace::AlignedRuns> laid) {
            if (!laid || overlay != m_document.document().overlay
                || planned != m_document.planned())
                return;
            m_laid = *std::move(laid);
            show(Change::Overlay);
            Q_EMIT fileAdded();
        });
}

void PlannerPage::chooseMeasurement()
{
    for (const QString& path :
         chooseFiles(window(), tr("Overlay a measurement"), m_settings.lastFolder(),
                     tr("Measurements (*.measurement.json *.json);;All files (*)"),
                     QFileDialog::ExistingFile))
        addFile(path);
}

DocumentPage::Addition PlannerPage::addition(const QString& path)
{
    const workspace::Planned& planned = *m_document.planned();
    const workspace::Prediction over{planned.recorded(), planned.choices.sizes,
                                     m_document.document().choices.device};
    return [this, over, file = std::filesystem::path{path.toStdString()}](
               const base::JobContext& job) -> base::Result<std::function<void()>> {
        return workspace::readMeasurementFile(file, job)
            .and_then([&](std::string content) {
                return workspace::attachMeasurement(file.filename().string(), std::move(content),
                                                    over, job);
            })
            .map([this](workspace::OverlayPtr overlay) {
                return std::function<void()>{[this, overlay] {
                    strip().withdraw(kMeasurementMessage);
                    m_document.setOverlay(overlay);
                }};
            });
    };
}

void PlannerPage::showAdditionError(const QString& path, const base::Error& error)
{
    strip().post({kMeasurementMessage,
                  MessageKind::Danger,
                  tr("%1 could not be overlaid on the prediction.")
                      .arg(fileText(QFileInfo{path}.fileName())),
                  QString::fromStdString(error.message),
                  {{tr("Choose another file…"), [this] { chooseMeasurement(); }}}});
}

void PlannerPage::beginClose()
{
    m_document.stopJobs();
    m_times.stop();
    for (const auto& [id, view] : m_views)
        for (JobRunnerBase* job : view.jobs)
            job->stop();
    DocumentPage::beginClose();
}

bool PlannerPage::isIdle() const
{
    return DocumentPage::isIdle() && m_document.isIdle() && m_exporter.job().isIdle()
           && m_times.job().isIdle() && std::ranges::all_of(m_views, [](const auto& entry) {
                  return std::ranges::all_of(entry.second.jobs, &JobRunnerBase::isIdle);
              });
}

QString PlannerPage::jobText() const
{
    if (m_times.job().isRunning())
        return tr("Reading the times of ops");
    return m_document.isPlanning()
               ? tr("Planning: %1").arg(percentText(m_document.perMille() / 1000.0))
               : QString{};
}

QString PlannerPage::cursorText() const
{
    const std::optional<std::size_t> step = m_selection.step();
    const timeline::Timeline& timeline = *m_shown->evaluation().timeline;
    if (!step || *step >= timeline.stepCount())
        return {};
    return timeText(timeline.timeAt(*step)) + QStringLiteral(" · ")
           + bytesText(timeline.totalAt(*step), Rounding::Up); // as on the card
}

QString PlannerPage::factsText() const
{
    const workspace::PlanDocument& document = m_document.document();
    const graph::Program& program = *m_document.program();
    const QString device = QString::fromStdString(document.choices.device.name);
    const workspace::Choices& choices = m_document.planned()->choices;
    QString times = m_isMeasured ? tr("measured times") : tr("%1 times, estimated").arg(device);
    if (const compare::StepTimesPtr measured = choices.times())
        times = tr("times of %1 ops from %2")
                    .arg(countText(measured->measuredOps()), fileText(measured->file));
    else if (choices.profiled.times)
        times +=
            tr(" (those of %1 are of another size)").arg(fileText(choices.profiled.times->file));
    return tr("%1 ops · %2 tensors · %3")
        .arg(countText(program.ops.size()), countText(program.tensors.size()), times);
}

} // namespace plimsoll::ui

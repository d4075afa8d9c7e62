// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/profile_page.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/document_page/pages_dock.h"
#include "ui/document_page/table_exports.h"
#include "ui/profile_page/find_allocations.h"
#include "ui/profile_page/live/carry_over.h"
#include "ui/profile_page/profile_texts.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTableView>

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

namespace {

/// Of the page's view: device, first and last step of the range.
constexpr QLatin1StringView kRange{"range"};

} // namespace

ProfilePage::ProfilePage(workspace::DocumentPtr profile, Settings& settings,
                         const ProfileLayout& layout, const std::shared_ptr<Recorder>& recorder,
                         QWidget* parent)
    : DocumentPage{std::move(profile), parent}
    , m_settings{settings}
    , m_controller{dynamic_cast<workspace::ProfileDocument&>(kept()), keeper()}
    , m_export{*this, settings}
    , m_live{*this, m_controller, recorder}
{
    m_shown = m_controller.picture();
    setCentre(m_views.emplace_back(layout.centre(*this)).widget);
    for (const auto& [dock, kinds] : layout.docks) {
        addDock(dock);
        for (const ProfileViewKind& kind : kinds)
            addView(dock.id, m_views.emplace_back(kind.make(*this)).widget, kind.title,
                    dock.area == Qt::RightDockWidgetArea ? kind.title : QString{});
    }
    connect(&m_controller, &ProfileController::pictureChanged, this, &ProfilePage::showPicture);
    connect(&m_controller, &ProfileController::alarmChanged, this, [this] {
        m_live.watchAlarm();
        show(ProfileChange::Live);
    });
    connect(&m_live, &ProfileLive::stateChanged, this, [this] { show(ProfileChange::Live); });
    connect(&m_live.follower().job(), &JobRunnerBase::idle, this, &ProfilePage::notifyIdle);
    connect(&m_controller, &ProfileController::settingsChanged, this,
            [this] { show(ProfileChange::Settings); });
    connect(&m_controller, &ProfileController::drawingChanged, this, &ProfilePage::stateChanged);
    connect(&m_controller, &ProfileController::notesChanged, this,
            [this] { show(ProfileChange::Notes); });
    connect(&m_selection, &Selection::stepChanged, this, &ProfilePage::stateChanged);
    connect(&m_controller, &ProfileController::idle, this, &ProfilePage::notifyIdle);
    connect(&m_controller, &ProfileController::graphFailed, this, [this](const QString& sentence) {
        showGraphFault(tr("The graph could not be used."), sentence);
    });
    connect(&m_export.job(), &JobRunnerBase::idle, this, &ProfilePage::notifyIdle);
    for (const ProfileView& view : m_views)
        for (const JobRunnerBase* job : view.jobs)
            connect(job, &JobRunnerBase::idle, this, &ProfilePage::notifyIdle);
    addTableExports(*this, m_settings);
    show(ProfileChange::Picture | ProfileChange::Notes | ProfileChange::Live);
    tellGraph();
    connect(&m_allocation, &AllocationSelection::changed, this, &ProfilePage::showSelected);
    for (const ProfileView& view : m_views)
        if (view.isFirst && view.isFirst(state()))
            dockOf(view.widget)->showPage(view.widget);
    showNotes();
    m_live.watchAlarm();
    m_live.begin();
}

ProfilePage::~ProfilePage()
{
    m_controller.disconnect(this);
    m_live.disconnect(this);
    // So would the views, which outlive the members.
    for (QObject* child : findChildren<QObject*>())
        child->disconnect(this);
}

ProfileState ProfilePage::state() const
{
    return {m_controller.document(), m_controller.picture(), m_controller.isDrawing()};
}

/// Steps and allocations are a device's, whatever is shown of them. In a later reading of the file
/// they may be elsewhere.
void ProfilePage::showPicture()
{
    const workspace::ProfilePicturePtr before = std::exchange(m_shown, m_controller.picture());
    tellGraph();
    if (before->recorded == m_shown->recorded) {
        if (before->deviceIndex != m_shown->deviceIndex)
            clearSelection();
        show(ProfileChange::Picture);
        return;
    }
    const std::optional<std::size_t> step = m_selection.step();
    const std::optional<StepRange> range = m_selection.range();
    const std::optional<std::uint32_t> allocation = m_allocation.allocation();
    const bool isLater = isLaterReading(*before, *m_shown);
    const bool hasGrown =
        isLater && before->timeline->stepCount() <= m_shown->timeline->stepCount()
        && before->device().allocations().size() <= m_shown->device().allocations().size();
    if (!hasGrown)
        clearSelection(); // before views look for it
    show(ProfileChange::Picture);
    m_live.watchAlarm();
    if (!isLater)
        return;
    m_selection.setStep(step ? stepIn(*before, *step, *m_shown) : std::nullopt);
    m_selection.setRange(range ? rangeIn(*before, *range, *m_shown) : std::nullopt);
    m_isReselecting = true;
    m_allocation.select(allocation ? allocationIn(*before, *allocation, *m_shown) : std::nullopt);
    m_isReselecting = false;
}

void ProfilePage::showSelected()
{
    if (m_isReselecting || isNarrow() || !m_allocation.allocation())
        return;
    for (const ProfileView& view : m_views)
        if (view.tellsAllocation && dockOf(view.widget)->isVisible())
            dockOf(view.widget)->showPage(view.widget);
}

void ProfilePage::showGraphFault(const QString& first, const QString& sentence)
{
    strip().post({QStringLiteral("graph"), MessageKind::Danger, first, sentence, {}});
}

void ProfilePage::tellGraph()
{
    if (m_shown->graphFault.empty())
        strip().withdraw(QStringLiteral("graph"));
    else
        showGraphFault(tr("The graph tells nothing about this recording."),
                       QString::fromStdString(m_shown->graphFault));
}

void ProfilePage::show(ProfileChanges what)
{
    const ProfileState now = state();
    for (const ProfileView& view : m_views)
        view.update(now, what);
    Q_EMIT stateChanged();
}

StatusText ProfilePage::status() const
{
    if (const std::optional<StatusText> live = m_live.status())
        return *live;
    const std::size_t oddities = oddityCount(*m_controller.document().trace);
    if (oddities == 0)
        return {tr("Recorded"), QStringLiteral("profile"), false};
    return {oddities == 1 ? tr("1 oddity in the recording")
                          : tr("%1 oddities in the recording").arg(countText(oddities)),
            QStringLiteral("warn"), false};
}

QString ProfilePage::jobText() const
{
    if (m_controller.isReadingGraph())
        return tr("Reading the graph");
    return m_controller.isDrawing()
               ? tr("Drawing: %1").arg(percentText(m_controller.perMille() / 1000.0))
               : QString{};
}

QString ProfilePage::urgentCommand() const
{
    return m_live.isRecording() ? QStringLiteral("profile.stop") : QString{};
}

QString ProfilePage::cursorText() const
{
    const workspace::ProfilePicture& picture = *m_controller.picture();
    const std::optional<std::size_t> step = m_selection.step();
    if (!step || *step >= picture.timeline->stepCount())
        return {};
    const memtrace::DeviceTrace& device = picture.device();
    QStringList facts{stepText(picture, *step),
                      tr("active %1").arg(bytesText(picture.timeline->totalAt(*step)))};
    if (hasReserved(device))
        facts << tr("reserved %1").arg(bytesText(device.reserved().at(*step)));
    if (const base::Bytes foreign = device.foreign().at(*step); foreign.count() > 0)
        facts << tr("outside PyTorch %1").arg(bytesText(foreign));
    return facts.join(QStringLiteral(" · "));
}

QString ProfilePage::factsText() const
{
    const workspace::ProfilePicture& picture = *m_controller.picture();
    const std::size_t devices = picture.trace->devices().size();
    const std::size_t allocations = picture.device().allocations().size();
    const std::size_t events = picture.device().recordedCount();
    QString facts = picture.trace->isOfDriver()
                        ? (allocations == 1 ? tr("1 block of the driver, no tensors")
                                            : tr("%1 blocks of the driver, no tensors"))
                        : (allocations == 1 ? tr("1 allocation") : tr("%1 allocations"));
    if (allocations != 1)
        facts = facts.arg(countText(allocations));
    facts += events == 1 ? tr(" · 1 event") : tr(" · %1 events").arg(countText(events));
    if (picture.names)
        facts += tr(" · %1 of %2 in %3 of %4 steps are known from the graph")
                     .arg(countText(picture.names->known), countText(picture.names->allocations),
                          countText(picture.names->agreeing), countText(picture.names->steps));
    if (devices > 1)
        facts += tr(" · %1 devices").arg(countText(devices));
    return facts;
}

DocumentPage::Search ProfilePage::searchFor(const QString& query)
{
    return [picture = m_controller.picture(), query](const base::JobContext& job) {
        return findAllocations(*picture, query, job);
    };
}

void ProfilePage::showHit(std::size_t allocation)
{
    m_allocation.select(static_cast<std::uint32_t>(allocation));
    Q_EMIT stepWanted(m_controller.picture()->device().firstStep(allocation));
}

void ProfilePage::clearSelection()
{
    m_selection.clear();
    m_allocation.select(std::nullopt);
}

bool ProfilePage::goBack()
{
    const auto cancels = [](const ProfileView& view) {
        return view.cancelDrag && view.cancelDrag();
    };
    if (std::ranges::any_of(m_views, cancels))
        return true;
    if (m_allocation.allocation()) {
        m_allocation.select(std::nullopt);
        return true;
    }
    return std::ranges::any_of(
        m_views, [](const ProfileView& view) { return view.goBack && view.goBack(); });
}

void ProfilePage::beginClose()
{
    m_controller.stop();
    m_live.follow(false);
    for (const ProfileView& view : m_views)
        for (JobRunnerBase* job : view.jobs)
            job->stop();
    DocumentPage::beginClose();
}

bool ProfilePage::isIdle() const
{
    const auto isViewIdle = [](const ProfileView& view) {
        return std::ranges::all_of(view.jobs, &JobRunnerBase::isIdle);
    };
    return DocumentPage::isIdle() && m_controller.isIdle() && m_export.job().isIdle()
           && m_live.follower().job().isIdle() && std::ranges::all_of(m_views, isViewIdle);
}

void ProfilePage::addToView(QJsonObject& view) const
{
    for (const ProfileView& part : m_views)
        if (part.store)
            part.store(view);
    if (const std::optional<StepRange> range = m_selection.range())
        view[kRange] = QJsonArray{m_shown->device().ordinal(), static_cast<qint64>(range->begin),
                                  static_cast<qint64>(range->end)};
}

void ProfilePage::restoreFrom(const QJsonObject& view)
{
    for (const ProfileView& part : m_views)
        if (part.restore)
            part.restore(view);
    const QJsonArray range = view[kRange].toArray();
    const StepRange steps{static_cast<std::size_t>(range.at(1).toInteger(-1)),
                          static_cast<std::size_t>(range.at(2).toInteger(-1))};
    if (range.size() == 3 && range.at(0).toInteger() == m_shown->device().ordinal()
        && steps.begin <= steps.end && steps.end < m_shown->timeline->stepCount())
        m_selection.setRange(steps);
}

} // namespace plimsoll::ui

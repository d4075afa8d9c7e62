// SPDX-License-Identifier: Apache-2.0
#include "ui/compare_page/compare_page.h"

#include "ui/base/help_context.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/compare_page/compare_texts.h"
#include "ui/compare_page/compare_view.h"
#include "ui/compare_page/differences_pane.h"
#include "ui/compare_page/peak_model.h"
#include "ui/compare_page/places.h"
#include "ui/compare_page/profile_chooser.h"
#include "ui/compare_page/summary_pane.h"
#include "ui/document_page/change_command.h"
#include "ui/document_page/pages_dock.h"
#include "ui/document_page/table_exports.h"
#include "ui/profile_tables/live_group_model.h"
#include "ui/tables/column_fitter.h"
#include "ui/tables/table_look.h"

#include <QFileInfo>
#include <QStackedWidget>
#include <QTableView>

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

ComparePage::ComparePage(workspace::DocumentPtr document, Settings& settings, QWidget* parent)
    : DocumentPage{std::move(document), parent}
    , m_document{dynamic_cast<workspace::ComparisonDocument&>(kept())}
    , m_settings{settings}
    , m_export{*this, settings}
{
    setManualPage(*this, QStringLiteral("compare.md"));
    buildViews();
    buildPeaks();
    connect(&m_selection, &Selection::stepChanged, this, &ComparePage::stateChanged);
    connect(&m_runner, &JobRunnerBase::runningChanged, this, &ComparePage::stateChanged);
    connect(&m_runner, &JobRunnerBase::progressed, this, [this](int perMille) {
        m_perMille = perMille;
        Q_EMIT stateChanged();
    });
    connect(&m_runner, &JobRunnerBase::idle, this, &ComparePage::notifyIdle);
    connect(&m_export.job(), &JobRunnerBase::idle, this, &ComparePage::notifyIdle);
    addTableExports(*this, m_settings);
    apply(state());
    showNotes();
}

ComparePage::~ComparePage()
{
    // The views outlive the members.
    for (QObject* child : findChildren<QObject*>())
        child->disconnect(this);
}

void ComparePage::buildViews()
{
    m_stack = new QStackedWidget{this};
    m_places = new ProfilePlaces{m_stack};
    m_view = new CompareView{m_stack};
    m_view->setSelection(&m_selection);
    m_stack->addWidget(m_places);
    m_stack->addWidget(m_view);
    setCentre(m_stack);
    constexpr int kSummaryWidth = 366; // names of classes beside three columns of sizes
    setRightWidth(kSummaryWidth);
    connect(m_places, &ProfilePlaces::profileWanted, this, &ComparePage::chooseMore);

    m_summary = new SummaryPane{this};
    addDock({QStringLiteral("comparison"), tr("Comparison"), Qt::RightDockWidgetArea});
    addView(QStringLiteral("comparison"), m_summary, tr("Comparison"), tr("Comparison"));
    connect(m_summary, &SummaryPane::swapWanted, this, [this] { exchange(0, 1); });
    connect(m_summary, &SummaryPane::addWanted, this, &ComparePage::chooseMore);
    connect(m_summary, &SummaryPane::removeWanted, this, &ComparePage::removeProfile);
    connect(m_summary, &SummaryPane::deviceChosen, this, &ComparePage::setDevice);

    m_differences = new DifferencesPane{this};
    addDock({QStringLiteral("differences"), tr("At the peaks")});
    addView(QStringLiteral("differences"), m_differences, tr("At the peaks"));
    connect(m_differences, &DifferencesPane::groupingChosen, this, &ComparePage::setGrouping);
}

void ComparePage::buildPeaks()
{
    m_peaks = new PeakModel;
    QTableView* table = makeTable(m_peaks, this, tr("Peaks by rank"),
                                  tr("The peak of each of the compared profiles."));
    new ColumnFitter{*table, {PeakModel::NameColumn, 120}, {}};
    addView(QStringLiteral("differences"), table, tr("Peaks by rank"));
    const auto onRow = [this, table](auto run) {
        return [this, table, run] {
            const QModelIndex current = table->currentIndex();
            if (current.isValid())
                (this->*run)(static_cast<std::size_t>(current.row()));
        };
    };
    addTableAction(*table, tr("Take as A"), {}, onRow(&ComparePage::takeAsA));
    addTableAction(*table, tr("Take as B"), {}, onRow(&ComparePage::takeAsB));
    addTableAction(*table, tr("Remove"), {}, onRow(&ComparePage::removeProfile));
    connect(table, &QTableView::doubleClicked, this,
            [this](const QModelIndex& index) { takeAsB(static_cast<std::size_t>(index.row())); });
}

void ComparePage::addProfiles(const workspace::ComparedProfiles& profiles)
{
    State next = state();
    next.profiles.insert(next.profiles.end(), profiles.begin(), profiles.end());
    if (next.profiles.size() > memtrace::kMostCompared) {
        strip().post({QStringLiteral("compare"),
                      MessageKind::Danger,
                      tr("Up to %1 profiles can be compared at once.").arg(memtrace::kMostCompared),
                      tr("Remove some to add others."),
                      {}});
        return;
    }
    change(tr("Addition of a Profile"), next);
}

void ComparePage::removeProfile(std::size_t side)
{
    State next = state();
    if (side >= next.profiles.size())
        return;
    next.profiles.erase(next.profiles.begin() + static_cast<std::ptrdiff_t>(side));
    change(tr("Removal of a Profile"), next);
}

void ComparePage::exchange(std::size_t first, std::size_t second)
{
    State next = state();
    if (first == second || std::max(first, second) >= next.profiles.size())
        return;
    std::swap(next.profiles[first], next.profiles[second]);
    change(tr("Swap"), next);
}

void ComparePage::setDevice(std::size_t side, std::size_t device)
{
    State next = state();
    if (next.profiles[side].device == device)
        return;
    next.profiles[side].device = device;
    change(tr("Change of the Device"), next);
}

void ComparePage::setAxis(memtrace::Axis axis)
{
    State next = state();
    if (next.axis == axis)
        return;
    next.axis = axis;
    change(tr("Change of the Axis"), next);
}

void ComparePage::setGrouping(memtrace::LiveBy by)
{
    m_document.settings.by = by;
    compare();
}

void ComparePage::chooseMore()
{
    const ChosenProfiles chosen =
        chooseProfiles(*this, m_settings, m_document.profiles(), ProfileChoice::Profiles);
    if (!chosen.open.empty())
        addProfiles(chosen.open);
    for (const QString& file : chosen.files)
        addFile(file);
}

void ComparePage::change(const QString& name, const State& state)
{
    m_undo.push(new ChangeCommand{name, [this, before = this->state()] { apply(before); },
                                  [this, state] { apply(state); }});
    keepProfiles();
}

void ComparePage::apply(const State& state)
{
    if (m_document.profiles() != state.profiles)
        m_selection.clear(); // steps are a comparison's
    m_document.setProfiles(state.profiles);
    m_document.settings.axis = state.axis;
    m_places->setProfiles(state.profiles);
    m_summary->setProfiles(state.profiles);
    m_stack->setCurrentIndex(state.profiles.size() < 2 ? 0 : 1);
    compare();
}

void ComparePage::keepProfiles()
{
    const std::shared_ptr<const workspace::Document> copy = m_document.copy();
    keeper().put("profiles", [copy](session::SessionStore& store, session::DocumentId id) {
        return store.saveState(id, copy->state()).and_then([&] { return copy->store(store, id); });
    });
}

void ComparePage::compare()
{
    if (m_document.profiles().size() < 2) {
        m_runner.stop();
        m_picture.reset();
        m_differences->clear();
        m_peaks->clear();
        Q_EMIT stateChanged();
        return;
    }
    m_perMille = 0;
    m_runner.start(
        [profiles = m_document.profiles(), settings = m_document.settings,
         last = m_picture](const base::JobContext& job) {
            return workspace::comparisonPicture(profiles, settings, job, last);
        },
        [this](const base::Result<workspace::ComparisonPicturePtr>& picture) { take(picture); });
}

void ComparePage::take(const base::Result<workspace::ComparisonPicturePtr>& picture)
{
    if (!picture) {
        // Cancelled by a change: another comparison follows, or there is nothing to compare.
        if (m_document.profiles().size() < 2)
            return;
        strip().post({QStringLiteral("compare"),
                      MessageKind::Warn,
                      tr("The profiles were not compared."),
                      picture.error().kind == base::ErrorKind::Cancelled
                          ? QString{}
                          : QString::fromStdString(picture.error().message),
                      {{tr("Compare"), [this] { compare(); }}}});
        return;
    }
    strip().withdraw(QStringLiteral("compare"));
    m_picture = *picture;
    m_view->setPicture(m_picture);
    m_summary->setPicture(*m_picture);
    m_differences->setPicture(*m_picture);
    m_peaks->setPicture(*m_picture);
    tellKinds();
    Q_EMIT stateChanged();
}

void ComparePage::tellKinds()
{
    const auto named = [this](bool ofDriver) {
        const workspace::ComparedProfiles& profiles = m_document.profiles();
        const auto one = std::ranges::find_if(
            profiles, [&](const auto& profile) { return profile.trace->isOfDriver() == ofDriver; });
        return one == profiles.end() ? QString{} : fileText(one->name);
    };
    const QString driver = named(true);
    const QString allocator = named(false);
    if (driver.isEmpty() || allocator.isEmpty())
        strip().withdraw(QStringLiteral("kinds"));
    else
        strip().post({QStringLiteral("kinds"),
                      MessageKind::Warn,
                      tr("These recordings hold different things."),
                      tr("%1 has the blocks that PyTorch got from the driver, %2 the tensors in "
                         "such blocks: their bytes can't be set against each other.")
                          .arg(driver, allocator),
                      {}});
}

QString ComparePage::title() const
{
    const workspace::ComparedProfiles& profiles = m_document.profiles();
    if (isInSession() && m_document.session.isOnly)
        return DocumentPage::title();
    return profiles.size() == 2
               ? fileText(profiles[0].name) + QStringLiteral(" / ") + fileText(profiles[1].name)
               : DocumentPage::title();
}

StatusText ComparePage::status() const
{
    if (m_document.profiles().size() < 2)
        return {tr("Choose two profiles"), QStringLiteral("info"), false};
    if (!m_picture || m_runner.isRunning())
        return {tr("Comparing"), QStringLiteral("clock"), false};
    return {m_picture->comparison->phases().isAligned() ? tr("Aligned by phase")
                                                        : tr("No phases in common"),
            QStringLiteral("compare"), false};
}

QString ComparePage::jobText() const
{
    return m_runner.isRunning() ? tr("Comparing: %1").arg(percentText(m_perMille / 1000.0))
                                : QString{};
}

QString ComparePage::cursorText() const
{
    const std::optional<std::size_t> step = m_selection.step();
    if (!step || !m_picture || *step >= m_picture->comparison->ground()->stepCount())
        return {};
    const memtrace::Comparison& comparison = *m_picture->comparison;
    return tr("%1 · A %2 · B %3 · B − A %4")
        .arg(axisPositionText(comparison, *step), liveText(comparison, 0, *step),
             liveText(comparison, 1, *step), differenceText(comparison, *step));
}

QString ComparePage::factsText() const
{
    return m_picture && m_document.profiles().size() > 1
               ? tr("%1 profiles").arg(countText(m_document.profiles().size()))
               : QString{};
}

bool ComparePage::goBack()
{
    return m_view->goBack();
}

DocumentPage::Addition ComparePage::addition(const QString& path)
{
    return [this, path](const base::JobContext& job) -> base::Result<std::function<void()>> {
        return workspace::readComparedProfile(path.toStdString(), job)
            .map([this](workspace::ComparedProfile profile) {
                return std::function<void()>{[this, profile = std::move(profile)] {
                    addProfiles({profile});
                    Q_EMIT fileAdded();
                }};
            });
    };
}

void ComparePage::showAdditionError(const QString& path, const base::Error& error)
{
    strip().post({QStringLiteral("add ") + path,
                  MessageKind::Danger,
                  tr("%1 could not be compared.").arg(fileText(QFileInfo{path}.fileName())),
                  QString::fromStdString(error.message),
                  {{tr("Add Profiles…"), [this] { chooseMore(); }}}});
}

DocumentPage::Search ComparePage::searchFor(const QString& query)
{
    if (!m_picture || query.isEmpty())
        return {};
    return [picture = m_picture, query](const base::JobContext& /*job*/) -> base::Result<Hits> {
        Hits hits;
        const std::vector<memtrace::DiffGroup>& groups = picture->groups.groups;
        for (std::size_t row = 0; row < groups.size(); ++row)
            if (groupText(groups[row].name, picture->by).contains(query, Qt::CaseInsensitive))
                hits.push_back(row);
        return hits;
    };
}

void ComparePage::showHit(std::size_t row)
{
    dockOf(m_differences)->showPage(m_differences);
    m_differences->table().selectRow(static_cast<int>(row));
}

void ComparePage::beginClose()
{
    m_runner.stop();
    DocumentPage::beginClose();
}

} // namespace plimsoll::ui

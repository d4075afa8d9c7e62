// SPDX-License-Identifier: Apache-2.0
#include "ui/waterfall_page/waterfall_page.h"

#include "core/workspace/file_formats.h"
#include "ui/base/help_context.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/document_page/change_command.h"
#include "ui/document_page/pages_dock.h"
#include "ui/document_page/table_exports.h"
#include "ui/tables/column_fitter.h"
#include "ui/tables/table_look.h"
#include "ui/waterfall_page/block_model.h"
#include "ui/waterfall_page/waterfall_chart.h"
#include "ui/waterfall_page/waterfall_summary.h"
#include "ui/waterfall_page/waterfall_texts.h"
#include "ui/waterfall_page/waterfall_view.h"

#include <QFileInfo>
#include <QScrollArea>
#include <QSplitter>
#include <QTableView>

#include <utility>

namespace plimsoll::ui {

WaterfallPage::WaterfallPage(workspace::DocumentPtr document, Settings& settings, QWidget* parent)
    : DocumentPage{std::move(document), parent}
    , m_document{dynamic_cast<workspace::WaterfallDocument&>(kept())}
    , m_settings{settings}
    , m_export{*this, settings}
{
    setManualPage(*this, QStringLiteral("compare.md#predicted-against-measured"));
    buildViews();
    connect(&m_selection, &Selection::stepChanged, this, &WaterfallPage::stateChanged);
    connect(&m_runner, &JobRunnerBase::runningChanged, this, &WaterfallPage::stateChanged);
    connect(&m_runner, &JobRunnerBase::idle, this, &WaterfallPage::notifyIdle);
    connect(&m_export.job(), &JobRunnerBase::idle, this, &WaterfallPage::notifyIdle);
    addTableExports(*this, m_settings);
    apply(state());
    showNotes();
}

WaterfallPage::~WaterfallPage()
{
    // The views outlive the members.
    for (QObject* child : findChildren<QObject*>())
        child->disconnect(this);
}

void WaterfallPage::buildViews()
{
    auto* both = new QSplitter{Qt::Vertical, this};
    both->setChildrenCollapsible(false);
    m_view = new WaterfallView{both};
    m_view->setSelection(&m_selection);
    auto* scrolled = new QScrollArea{both};
    scrolled->setFrameShape(QFrame::NoFrame);
    scrolled->setWidgetResizable(true);
    scrolled->setFocusPolicy(Qt::NoFocus);
    m_chart = new WaterfallChart{scrolled};
    scrolled->setWidget(m_chart);
    both->addWidget(m_view);
    both->addWidget(scrolled);
    both->setStretchFactor(0, 3);
    both->setStretchFactor(1, 2);
    both->setSizes({560, 290}); // shares: as much as the chart mostly needs
    setCentre(both);
    connect(m_chart, &WaterfallChart::reasonSelected, this, &WaterfallPage::showBlocks);

    m_summary = new WaterfallSummary{this};
    addDock({QStringLiteral("comparison"), tr("Comparison"), Qt::RightDockWidgetArea});
    addView(QStringLiteral("comparison"), m_summary, tr("Comparison"), tr("Comparison"));

    m_blocks = new BlockModel;
    m_table =
        makeTable(m_blocks, this, tr("Blocks of the row"),
                  tr("Select a row of the waterfall to see its blocks. Rounding and fragmentation "
                     "have none."));
    new ColumnFitter{*m_table, {BlockModel::WhatColumn, 120}, {}};
    addView(QStringLiteral("comparison"), m_table, tr("Blocks"), tr("Blocks"));
}

void WaterfallPage::setStep(const workspace::ComparedStep& step)
{
    State next = state();
    next.step = step;
    change(tr("Change of the Prediction"), next);
}

void WaterfallPage::setProfile(const workspace::ComparedProfile& profile)
{
    State next = state();
    next.profile = profile;
    change(tr("Change of the Profile"), next);
}

void WaterfallPage::change(const QString& name, const State& state)
{
    m_undo.push(new ChangeCommand{name, [this, before = this->state()] { apply(before); },
                                  [this, state] { apply(state); }});
    keepSides();
}

void WaterfallPage::apply(const State& state)
{
    m_document.set(state.step, state.profile);
    m_selection.clear(); // steps are a comparison's
    m_summary->setSides(m_document);
    compare();
}

void WaterfallPage::keepSides()
{
    const std::shared_ptr<const workspace::Document> copy = m_document.copy();
    keeper().put("sides", [copy](session::SessionStore& store, session::DocumentId id) {
        return store.saveState(id, copy->state()).and_then([&] { return copy->store(store, id); });
    });
}

void WaterfallPage::compare()
{
    if (!m_document.prediction() || !m_document.profile()) {
        m_runner.stop();
        show(nullptr);
        return;
    }
    m_runner.start(
        [step = *m_document.prediction(),
         profile = *m_document.profile()](const base::JobContext& job) {
            return workspace::waterfallPicture(step, profile, job);
        },
        [this](const base::Result<workspace::WaterfallPicturePtr>& picture) { take(picture); });
}

void WaterfallPage::take(const base::Result<workspace::WaterfallPicturePtr>& picture)
{
    if (picture) {
        show(*picture);
        return;
    }
    if (picture.error().kind == base::ErrorKind::Cancelled)
        return; // a change stopped it
    show(nullptr);
    m_summary->setFault(QString::fromStdString(picture.error().message));
    dockOf(m_summary)->showPage(m_summary);
}

void WaterfallPage::show(const workspace::WaterfallPicturePtr& picture)
{
    m_picture = picture;
    m_summary->setSides(m_document);
    m_summary->setPicture(picture);
    m_view->setPicture(picture);
    m_chart->setWaterfall(picture ? picture->waterfall : nullptr);
    Q_EMIT stateChanged();
}

void WaterfallPage::showBlocks(std::optional<waterfall::Reason> reason)
{
    if (!reason || !m_picture || !m_document.profile()) {
        m_blocks->clear();
        return;
    }
    m_blocks->setRow(*m_picture->waterfall, *m_document.profile(),
                     m_picture->waterfall->row(*reason));
    m_view->showStep(*reason == waterfall::Reason::OtherPlace ? m_picture->curves->predictedPeak
                                                              : m_picture->curves->measuredPeak);
    dockOf(m_table)->showPage(m_table);
}

QString WaterfallPage::title() const
{
    if (isInSession() && m_document.session.isOnly)
        return DocumentPage::title();
    return m_document.prediction() && m_document.profile()
               ? tr("%1: predicted / measured").arg(fileText(m_document.prediction()->graph.name))
               : DocumentPage::title();
}

StatusText WaterfallPage::status() const
{
    if (!m_document.prediction() || !m_document.profile())
        return {tr("Drop a graph and a profile"), QStringLiteral("info"), false};
    if (m_runner.isRunning())
        return {tr("Comparing"), QStringLiteral("clock"), false};
    if (!m_picture)
        return {tr("Not compared"), QStringLiteral("warn"), true};
    return {m_picture->waterfall->notExplained().count() == 0 ? tr("All explained")
                                                              : tr("Partly explained"),
            QStringLiteral("compare"), false};
}

QString WaterfallPage::jobText() const
{
    return m_runner.isRunning() ? tr("Comparing") : QString{};
}

QString WaterfallPage::cursorText() const
{
    const std::optional<std::size_t> step = m_selection.step();
    return step && m_picture ? m_view->readText(*step) : QString{};
}

QString WaterfallPage::factsText() const
{
    return m_picture ? tr("aligned by op · %1 of %2 predicted allocations found")
                           .arg(countText(m_picture->waterfall->match.found()),
                                countText(m_picture->waterfall->match.predicted.size()))
                     : QString{};
}

void WaterfallPage::clearSelection()
{
    m_selection.clear();
    m_chart->selectLine(std::nullopt);
}

bool WaterfallPage::goBack()
{
    if (m_chart->selectedLine()) {
        m_chart->selectLine(std::nullopt);
        return true;
    }
    return m_view->goBack();
}

DocumentPage::Addition WaterfallPage::addition(const QString& path)
{
    const std::filesystem::path file = path.toStdString();
    const auto added = [this](auto&& set) {
        return [this, set = std::forward<decltype(set)>(set)](auto value) {
            return std::function<void()>{[this, set, value = std::move(value)] {
                (this->*set)(value);
                Q_EMIT fileAdded();
            }};
        };
    };
    return [file, added, step = m_document.prediction()](
               const base::JobContext& job) -> base::Result<std::function<void()>> {
        const std::optional<readers::FileKind> kind = workspace::fileFormats().kindOf(file);
        if (kind == readers::FileKind::Graph)
            return workspace::readComparedStep(file, job).map(added(&WaterfallPage::setStep));
        if (kind != readers::FileKind::Plan)
            return workspace::readComparedProfile(file, job).map(added(&WaterfallPage::setProfile));
        if (!step)
            return base::failure(base::ErrorKind::Usage,
                                 "A plan needs its graph: add the graph first.");
        return workspace::withPlan(*step, file, job).map(added(&WaterfallPage::setStep));
    };
}

void WaterfallPage::showAdditionError(const QString& path, const base::Error& error)
{
    strip().post({QStringLiteral("add ") + path,
                  MessageKind::Danger,
                  tr("%1 could not be compared.").arg(fileText(QFileInfo{path}.fileName())),
                  QString::fromStdString(error.message),
                  {}});
}

void WaterfallPage::beginClose()
{
    m_runner.stop();
    DocumentPage::beginClose();
}

} // namespace plimsoll::ui

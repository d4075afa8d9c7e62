// SPDX-License-Identifier: Apache-2.0
// The docks of a profile page that list: allocations, segments, events, notes, problems.
#include "core/memtrace/analysis/oddities.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/document_page/open_source.h"
#include "ui/profile_page/docks/allocation_page.h"
#include "ui/profile_page/docks/diagnosis_page.h"
#include "ui/profile_page/docks/events_page.h"
#include "ui/profile_page/docks/flame_page.h"
#include "ui/profile_page/docks/inspector.h"
#include "ui/profile_page/docks/leaks_page.h"
#include "ui/profile_page/docks/live_groups_page.h"
#include "ui/profile_page/docks/range_filter.h"
#include "ui/profile_page/profile_page.h"
#include "ui/profile_page/profile_texts.h"
#include "ui/profile_page/profile_views.h"
#include "ui/profile_tables/segment_model.h"
#include "ui/tables/column_fitter.h"
#include "ui/tables/table_look.h"

#include <QHeaderView>
#include <QJsonObject>
#include <QLabel>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QTableView>
#include <QVBoxLayout>

namespace plimsoll::ui {

namespace {

/// The update of a view that shows the picture and nothing else.
template <typename View>
auto takesPicture(View* view)
{
    return [view](const ProfileState& state, ProfileChanges what) {
        if (what.testFlag(ProfileChange::Picture))
            view->setPicture(state.picture);
    };
}

template <typename View>
void opensSources(ProfilePage& page, View* view, void (View::*wanted)(const QString&))
{
    QObject::connect(view, wanted, &page,
                     [&page](const QString& source) { openSource(page, page.settings(), source); });
}

ProfileView allocationView(ProfilePage& page, AllocationPage::Rows rows, const QString& name)
{
    auto* view = new AllocationPage{rows, name, &page};
    AllocationSelection* allocation = &page.allocation();
    Selection* selection = &page.selection();
    QObject::connect(view, &AllocationPage::allocationChosen, allocation,
                     &AllocationSelection::select);
    QObject::connect(allocation, &AllocationSelection::changed, view,
                     [view, allocation] { view->select(allocation->allocation()); });
    QObject::connect(selection, &Selection::stepChanged, view,
                     [view, selection] { view->setStep(selection->step()); });
    if (rows == AllocationPage::Rows::All)
        view->rangeFilter().follow(*selection);
    opensSources(page, view, &AllocationPage::sourceWanted);
    return {.widget = view, .update = takesPicture(view), .jobs = {&view->job()}};
}

void addToFilter(ProfilePage& page, const memtrace::FilterTerm& term)
{
    workspace::ProfileSettings settings = page.controller().document().settings;
    settings.filter.push_back(term);
    page.controller().change(ProfilePage::tr("Addition of a Filter"), settings);
}

} // namespace

ProfileView makeLiveGroupsView(ProfilePage& page)
{
    auto* view = new LiveGroupsPage{&page};
    Selection* selection = &page.selection();
    const QString key = QStringLiteral("liveBy");
    QObject::connect(selection, &Selection::stepChanged, view,
                     [view, selection] { view->setStep(selection->step()); });
    opensSources(page, view, &LiveGroupsPage::sourceWanted);
    QObject::connect(view, &LiveGroupsPage::shownChanged, &page, [&page] { page.storeView(); });
    QObject::connect(view, &LiveGroupsPage::pictureWanted, &page.exporter(),
                     &PictureExport::choosePicture);
    QObject::connect(view, &LiveGroupsPage::filterWanted, &page,
                     [&page](const memtrace::FilterTerm& term) { addToFilter(page, term); });
    return {.widget = view,
            .update = takesPicture(view),
            .store =
                [view, key](QJsonObject& to) {
                    to.insert(key, static_cast<int>(view->grouping()));
                    to.insert(QStringLiteral("liveAsTable"), !view->isMap());
                },
            .restore =
                [view, key](const QJsonObject& from) {
                    const int by = from.value(key).toInt();
                    if (by > 0 && by <= static_cast<int>(memtrace::LiveBy::Pool))
                        view->setGrouping(static_cast<memtrace::LiveBy>(by));
                    view->setMap(!from.value(QStringLiteral("liveAsTable")).toBool());
                },
            .jobs = {&view->job()}};
}

ProfileView makeLargestView(ProfilePage& page)
{
    return allocationView(page, AllocationPage::Rows::LiveAtStep, ProfilePage::tr("Largest live"));
}

ProfileView makeAllocationsView(ProfilePage& page)
{
    return allocationView(page, AllocationPage::Rows::All, ProfilePage::tr("Allocations"));
}

ProfileView makeDiagnosisView(ProfilePage& page)
{
    auto* view = new DiagnosisPage{&page};
    QObject::connect(view, &DiagnosisPage::stepWanted, &page, [&page](std::size_t step) {
        page.selection().setStep(step);
        Q_EMIT page.stepWanted(step);
    });
    QObject::connect(view, &DiagnosisPage::planMade, &page, [&page](workspace::DocumentPtr& plan) {
        page.requestDocument(std::move(plan), {});
    });
    QObject::connect(view, &DiagnosisPage::planFailed, &page, &ProfilePage::noted);
    return {.widget = view,
            .update = takesPicture(view),
            .isFirst =
                [](const ProfileState& state) {
                    return !state.picture->device().outOfMemory().empty();
                },
            .jobs = {&view->job(), &view->planJob()}};
}

ProfileView makeFlameView(ProfilePage& page)
{
    auto* view = new FlamePage{&page};
    view->rangeFilter().follow(page.selection());
    opensSources(page, view, &FlamePage::sourceWanted);
    QObject::connect(view, &FlamePage::pictureWanted, &page.exporter(),
                     &PictureExport::choosePicture);
    QObject::connect(view, &FlamePage::filterWanted, &page,
                     [&page](const memtrace::FilterTerm& term) { addToFilter(page, term); });
    return {.widget = view,
            .update = takesPicture(view),
            .goBack = [view] { return view->isVisible() && view->view().goBack(); },
            .jobs = {&view->job()}};
}

ProfileView makeLeaksView(ProfilePage& page)
{
    auto* view = new LeaksPage{&page};
    QObject::connect(view, &LeaksPage::allocationChosen, &page.allocation(),
                     &AllocationSelection::select);
    view->rangeFilter().follow(page.selection());
    opensSources(page, view, &LeaksPage::sourceWanted);
    return {.widget = view, .update = takesPicture(view), .jobs = {&view->job()}};
}

ProfileView makeSegmentsView(ProfilePage& page)
{
    auto* widget = new QWidget{&page};
    QVBoxLayout* column = makeColumn(widget);
    auto* filter = new RangeFilter{ProfilePage::tr("segments that exist there"), widget};
    column->addWidget(filter, 0, Qt::AlignRight);
    auto* model = new SegmentModel{widget};
    QTableView* table = makeTable(model, widget, ProfilePage::tr("Segments"));
    new ColumnFitter{*table, {SegmentModel::AddressColumn, 100}, {}};
    column->addWidget(table, 1);
    QObject::connect(filter, &RangeFilter::rangeChanged, model,
                     [filter, model] { model->setRange(filter->range()); });
    filter->follow(page.selection());
    return {.widget = widget,
            .update = [model, filter](const ProfileState& state, ProfileChanges what) {
                if (!what.testFlag(ProfileChange::Picture))
                    return;
                model->setPicture(state.picture);
                filter->setPicture(state.picture);
            }};
}

ProfileView makeEventsView(ProfilePage& page)
{
    auto* view = new EventsPage{&page};
    QObject::connect(view, &EventsPage::eventChosen, &page, [&page](memtrace::EventIndex event) {
        const memtrace::DeviceTrace& device = page.controller().picture()->device();
        page.selection().setStep(event + std::size_t{1});
        if (device.action(event) <= memtrace::Action::Free
            && device.subject(event) != memtrace::kNone)
            page.allocation().select(device.subject(event));
    });
    view->rangeFilter().follow(page.selection());
    return {.widget = view, .update = takesPicture(view), .jobs = {&view->job()}};
}

ProfileView makeInspectorView(ProfilePage& page)
{
    auto* inspector = new Inspector{&page};
    AllocationSelection* allocation = &page.allocation();
    const auto show = [inspector, allocation, &page] {
        inspector->show(page.controller().picture(), allocation->allocation());
    };
    QObject::connect(allocation, &AllocationSelection::changed, inspector, show);
    QObject::connect(inspector, &Inspector::sourceWanted, &page,
                     [&page](const QString& source) { openSource(page, page.settings(), source); });
    return {.widget = inspector,
            .update =
                [show](const ProfileState&, ProfileChanges what) {
                    if (what.testFlag(ProfileChange::Picture))
                        show();
                },
            .tellsAllocation = true};
}

ProfileView makeNotesView(ProfilePage& page)
{
    auto* notes = new QPlainTextEdit{&page};
    notes->setAccessibleName(ProfilePage::tr("Notes"));
    notes->setPlaceholderText(
        ProfilePage::tr("Notes about this recording. They are kept in the session."));
    notes->setTabChangesFocus(true);
    notes->setFrameShape(QFrame::NoFrame);
    QObject::connect(notes, &QPlainTextEdit::textChanged, &page,
                     [&page, notes] { page.controller().setNotes(notes->toPlainText()); });
    return {.widget = notes, .update = [notes](const ProfileState& state, ProfileChanges what) {
                const QString text = QString::fromStdString(state.document.notesText);
                if (what.testFlag(ProfileChange::Notes) && text != notes->toPlainText())
                    notes->setPlainText(text);
            }};
}

ProfileView makeOdditiesView(ProfilePage& page)
{
    auto* area = new QScrollArea{&page};
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    auto* label = new QLabel{area};
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setAlignment(Qt::AlignTop);
    label->setMargin(12);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setAccessibleName(ProfilePage::tr("Problems"));
    area->setWidget(label);
    return {.widget = area, .update = [label](const ProfileState& state, ProfileChanges what) {
                if (!what.testFlag(ProfileChange::Picture))
                    return;
                QStringList lines;
                for (const std::string& gap : state.document.trace->gaps())
                    lines << fileText(gap);
                QStringList before; // what the status bar doesn't count
                for (const auto& [id, count] : state.document.trace->statistics())
                    (memtrace::isOddity(id) ? lines : before) << QStringLiteral("%1 (%2)").arg(
                        fileText(memtrace::oddityText(id)), countText(count));
                if (!before.isEmpty())
                    lines << ProfilePage::tr("No oddities, since the recording began later:")
                          << before;
                label->setText(lines.isEmpty() ? ProfilePage::tr("Nothing to report.")
                                               : lines.join(u'\n'));
            }};
}

} // namespace plimsoll::ui

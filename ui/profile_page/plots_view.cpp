// SPDX-License-Identifier: Apache-2.0
// The centre of a profile page: the plots over one axis.
#include "ui/base/help_context.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/memory_map/address_scene.h"
#include "ui/memory_map/block_scene.h"
#include "ui/memory_map/memory_map_view.h"
#include "ui/profile_page/active_view.h"
#include "ui/profile_page/filter/filter_bar.h"
#include "ui/profile_page/live/alarm_bar.h"
#include "ui/profile_page/live/carry_over.h"
#include "ui/profile_page/map_figures.h"
#include "ui/profile_page/profile_page.h"
#include "ui/profile_page/profile_texts.h"
#include "ui/profile_page/profile_views.h"
#include "ui/profile_tables/allocation_texts.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTabBar>

namespace plimsoll::ui {

namespace {

struct Plots
{
    QWidget* widget;
    FilterBar* filter;
    AlarmBar* alarm;  ///< hidden if nothing is live and there is none
    QTabBar* devices; ///< hidden if there is only one
    QSplitter* splitter;
    ActiveView* active;
    MemoryMapView* map;
    MapFigures* figures; ///< of the address map
};

void showMapFacts(const Plots& plots, const workspace::ProfilePicture& picture)
{
    if (picture.settings.lower == workspace::LowerPlot::Blocks) {
        plots.map->setSubtitle(QObject::tr("all that is live, the oldest at the bottom"));
        return;
    }
    QStringList facts{picture.settings.axis == memtrace::Axis::Events
                          ? QObject::tr("addresses against events")
                          : QObject::tr("addresses against time")};
    if (const std::size_t segments = picture.device().segments().size(); segments > 0)
        facts << (segments == 1 ? QObject::tr("%1 in 1 segment over the recording")
                                      .arg(bytesText(picture.layout.size()))
                                : QObject::tr("%1 in %2 segments over the recording")
                                      .arg(bytesText(picture.layout.size()), countText(segments)));
    if (!plots.figures->text().isEmpty())
        facts << plots.figures->text();
    plots.map->setSubtitle(facts.join(QStringLiteral(" · ")));
}

void showMap(const Plots& plots, const workspace::ProfilePicturePtr& picture)
{
    plots.figures->setPicture(picture);
    plots.active->setGaps(plots.figures->curve());
    showMapFacts(plots, *picture);
    if (picture->settings.lower == workspace::LowerPlot::Blocks) {
        plots.map->setScene(
            std::make_shared<BlockScene>(picture->trace, picture->deviceIndex, picture->timeline),
            QObject::tr("Allocation blocks"));
        return;
    }
    plots.map->setScene(std::make_shared<AddressScene>(picture->trace, picture->deviceIndex,
                                                       picture->timeline, picture->layout),
                        QObject::tr("Address map"));
}

/// A later reading of a file may have more.
void listDevices(QTabBar& tabs, const memtrace::MemoryTrace& trace)
{
    for (std::size_t i = 0; i < trace.devices().size(); ++i) {
        const int tab = static_cast<int>(i);
        if (tab < tabs.count())
            tabs.setTabText(tab, deviceText(trace.devices()[i]));
        else
            tabs.addTab(deviceText(trace.devices()[i]));
    }
    while (tabs.count() > static_cast<int>(trace.devices().size()))
        tabs.removeTab(tabs.count() - 1);
    tabs.setVisible(tabs.count() > 1);
}

std::vector<std::size_t> pinsIn(const workspace::ProfilePicture& from,
                                const std::vector<std::size_t>& pins,
                                const workspace::ProfilePicture& to)
{
    std::vector<std::size_t> there;
    for (const std::size_t pin : pins)
        if (const auto step = stepIn(from, pin, to))
            there.push_back(*step);
    return there;
}

void showLive(const Plots& plots, const ProfilePage& page)
{
    const std::optional<base::Bytes> alarm = page.controller().document().alarm;
    plots.active->setAlarm(alarm);
    plots.alarm->setAlarm(alarm);
    if (alarm || page.live().isFollowing())
        plots.alarm->show(); // and stays, so that the plots don't move
}

void show(const Plots& plots, const ProfileState& state)
{
    const workspace::ProfilePicture& picture = *state.picture;
    const memtrace::DeviceTrace& device = picture.device();
    {
        const QSignalBlocker blocker{plots.devices};
        listDevices(*plots.devices, *picture.trace);
        plots.devices->setCurrentIndex(static_cast<int>(picture.deviceIndex));
    }
    QString name = deviceText(device);
    if (const std::string model = picture.trace->deviceName(device.ordinal()); !model.empty())
        name += QStringLiteral(" (%1)").arg(fileText(model));
    QStringList facts{QObject::tr("peak %1").arg(bytesText(picture.timeline->peak()))};
    if (hasReserved(device))
        facts << QObject::tr("reserved %1").arg(bytesText(device.reserved().largest()));
    if (device.foreign().largest().count() > 0)
        facts << QObject::tr("outside PyTorch %1").arg(bytesText(device.foreign().largest()));
    facts << name;
    plots.active->setSubtitle(facts);
    const workspace::ProfilePicturePtr before = plots.active->picture();
    const VisibleRange range = plots.active->visibleRange();
    const std::vector<std::size_t> pins = plots.active->pinnedSteps();
    plots.active->setPicture(state.picture);
    if (before && isLaterReading(*before, picture)) {
        plots.active->setVisibleRange(visibleIn(*before, range, picture));
        plots.active->setPinnedSteps(pinsIn(*before, pins, picture));
    }
    showMap(plots, state.picture);
}

void store(const Plots& plots, QJsonObject& view)
{
    const VisibleRange range = plots.active->visibleRange();
    view.insert(QStringLiteral("range"), QJsonArray{range.begin, range.end});
    QJsonArray sizes;
    for (const int size : plots.splitter->sizes())
        sizes << size;
    view.insert(QStringLiteral("plots"), sizes);
}

void restore(const Plots& plots, const QJsonObject& view)
{
    const QJsonArray range = view.value(QStringLiteral("range")).toArray();
    if (range.size() == 2)
        plots.active->setVisibleRange({range[0].toDouble(), range[1].toDouble(1)});
    QList<int> sizes;
    for (const QJsonValue size : view.value(QStringLiteral("plots")).toArray())
        sizes << size.toInt();
    if (sizes.size() == 2)
        plots.splitter->setSizes(sizes);
}

Plots makePlots(ProfilePage& page)
{
    Plots plots{};
    plots.widget = new QWidget{&page};
    setManualPage(page, QStringLiteral("profiles.md"));
    auto* column = makeColumn(plots.widget);
    plots.filter = new FilterBar{plots.widget};
    column->addWidget(plots.filter);
    plots.alarm = new AlarmBar{plots.widget};
    plots.alarm->hide();
    column->addWidget(plots.alarm);
    plots.devices = new QTabBar{plots.widget};
    plots.devices->setProperty("pages", true);
    plots.devices->setDrawBase(false);
    plots.devices->setExpanding(false);
    plots.devices->setAccessibleName(ProfilePage::tr("Devices"));
    column->addWidget(plots.devices);
    plots.splitter = new QSplitter{Qt::Vertical, plots.widget};
    column->addWidget(plots.splitter, 1);
    plots.splitter->setChildrenCollapsible(false);
    plots.active = new ActiveView{plots.splitter};
    plots.map = new MemoryMapView{*plots.active, plots.splitter};
    plots.figures = new MapFigures{plots.widget};
    plots.splitter->setStretchFactor(0, 3);
    plots.splitter->setStretchFactor(1, 2);
    plots.splitter->setSizes({300, 200}); // shares; the splitter scales them to its height
    plots.widget->setFocusProxy(plots.active);
    return plots;
}

/// Of the allocation under the pointer: "48.0 MiB, Activations", its life, who allocated it.
QString tipOf(const workspace::ProfilePicture& picture, std::uint32_t allocation)
{
    const memtrace::Allocations& all = picture.device().allocations();
    return QObject::tr("%1, %2\nlives %3\n%4")
        .arg(bytesText(base::Bytes{all.bytes[allocation]}), classText(picture, allocation),
             lifeText(picture, allocation), stackText(picture, allocation));
}

void connectPlots(const Plots& plots, ProfilePage& page)
{
    plots.map->setTips([&page](std::uint32_t allocation) {
        return tipOf(*page.controller().picture(), allocation);
    });
    QObject::connect(plots.devices, &QTabBar::currentChanged, &page, [&page](int tab) {
        workspace::ProfileSettings settings = page.controller().document().settings;
        settings.device =
            page.controller().document().trace->devices()[static_cast<std::size_t>(tab)].ordinal();
        page.controller().change(ProfilePage::tr("Change of the Device"), settings);
    });
    QObject::connect(plots.filter, &FilterBar::filterWanted, &page,
                     [&page](const QString& name, const memtrace::Filter& filter) {
                         workspace::ProfileSettings settings =
                             page.controller().document().settings;
                         settings.filter = filter;
                         page.controller().change(name, settings);
                     });
    const auto setAlarm = [&page](std::optional<base::Bytes> alarm) {
        page.controller().changeAlarm(alarm);
    };
    QObject::connect(plots.alarm, &AlarmBar::alarmWanted, &page, setAlarm);
    QObject::connect(plots.active, &ActiveView::alarmDragged, &page, setAlarm);
    QObject::connect(plots.active, &ActiveView::alarmMoved, plots.alarm, &AlarmBar::showDragged);
    QObject::connect(&page.live(), &ProfileLive::alarmFieldWanted, plots.alarm, &AlarmBar::begin);
    Selection* selection = &page.selection();
    AllocationSelection* allocation = &page.allocation();
    plots.active->setSelection(selection);
    plots.map->setSelection(selection);
    QObject::connect(selection, &Selection::stepChanged, plots.figures,
                     [figures = plots.figures, selection] { figures->setStep(selection->step()); });
    QObject::connect(plots.figures, &MapFigures::textChanged, plots.map,
                     [plots, &page] { showMapFacts(plots, *page.controller().picture()); });
    QObject::connect(plots.figures, &MapFigures::curveChanged, plots.active,
                     [plots] { plots.active->setGaps(plots.figures->curve()); });
    QObject::connect(&page, &ProfilePage::stepWanted, plots.active, &TimelineView::showStep);
    QObject::connect(plots.map, &MemoryMapView::allocationClicked, allocation,
                     &AllocationSelection::select);
    QObject::connect(
        allocation, &AllocationSelection::changed, plots.map,
        [map = plots.map, allocation] { map->setAllocation(allocation->allocation()); });
}

} // namespace

ProfileView makePlotsView(ProfilePage& page)
{
    const Plots plots = makePlots(page);
    connectPlots(plots, page);
    std::vector<JobRunnerBase*> jobs = plots.figures->jobs();
    jobs.push_back(&plots.map->job());
    return {.widget = plots.widget,
            .plots = plots.splitter,
            .update =
                [plots, &page](const ProfileState& state, ProfileChanges what) {
                    if (what.testFlag(ProfileChange::Live))
                        showLive(plots, page);
                    if (what.testAnyFlags(ProfileChange::Picture | ProfileChange::Settings))
                        plots.filter->show(state.document.settings.filter, state.picture);
                    if (what.testFlag(ProfileChange::Picture))
                        show(plots, state);
                },
            .cancelDrag = [plots] { return plots.active->cancelDrag(); },
            .goBack = [plots] { return plots.active->goBack() || plots.filter->goBack(); },
            .store = [plots](QJsonObject& view) { store(plots, view); },
            .restore = [plots](const QJsonObject& view) { restore(plots, view); },
            .jobs = jobs};
}

} // namespace plimsoll::ui

// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/profile_kind.h"

#include "ui/diagnosis/message_dialog.h"
#include "ui/profile_page/graph_chooser.h"
#include "ui/profile_page/profile_page.h"
#include "ui/profile_page/profile_texts.h"

#include <QAction>

#include <utility>

namespace plimsoll::ui {

namespace {

/// A choice of one of the document's settings.
PageChoice choiceOf(std::vector<PageChoice::Entry> entries, const QString& undoName,
                    QString (*chosen)(const workspace::ProfileSettings&),
                    void (*set)(workspace::ProfileSettings&, const QString& id))
{
    return {.entries = std::move(entries),
            .chosen =
                [chosen](const DocumentPage& page) {
                    const auto& profile = static_cast<const ProfilePage&>(page);
                    return chosen(profile.controller().document().settings);
                },
            .choose =
                [undoName, set](DocumentPage& page, const QString& id) {
                    ProfileController& controller = static_cast<ProfilePage&>(page).controller();
                    workspace::ProfileSettings settings = controller.document().settings;
                    set(settings, id);
                    controller.change(undoName, settings);
                },
            .below = {}};
}

PageChoice axisChoice()
{
    const QString time = QStringLiteral("time");
    const QString events = QStringLiteral("events");
    return choiceOf(
        {{time, ProfilePage::tr("Time")}, {events, ProfilePage::tr("Events")}},
        ProfilePage::tr("Change of the Axis"),
        [](const workspace::ProfileSettings& settings) {
            return settings.axis == memtrace::Axis::Events ? QStringLiteral("events")
                                                           : QStringLiteral("time");
        },
        [](workspace::ProfileSettings& settings, const QString& id) {
            settings.axis =
                id == QStringLiteral("events") ? memtrace::Axis::Events : memtrace::Axis::Time;
        });
}

PageChoice layerChoice()
{
    std::vector<PageChoice::Entry> entries{{QStringLiteral("class"), ProfilePage::tr("Class")},
                                           {QStringLiteral("phase"), ProfilePage::tr("Phase")},
                                           {QStringLiteral("frame"), ProfilePage::tr("Top Frame")},
                                           {QStringLiteral("stream"), ProfilePage::tr("Stream")},
                                           {QStringLiteral("pool"), ProfilePage::tr("Pool")}};
    return choiceOf(
        std::move(entries), ProfilePage::tr("Change of the Layers"),
        [](const workspace::ProfileSettings& settings) {
            return QString::fromLatin1(memtrace::groupingName(settings.grouping));
        },
        [](workspace::ProfileSettings& settings, const QString& id) {
            settings.grouping =
                memtrace::findGrouping(id.toStdString()).value_or(settings.grouping);
        });
}

PageChoice lowerPlotChoice()
{
    std::vector<PageChoice::Entry> entries{
        {QStringLiteral("addresses"), ProfilePage::tr("Address Map")},
        {QStringLiteral("blocks"), ProfilePage::tr("Allocation Blocks")}};
    return choiceOf(
        std::move(entries), ProfilePage::tr("Change of the Lower Plot"),
        [](const workspace::ProfileSettings& settings) {
            return QString::fromLatin1(workspace::lowerPlotName(settings.lower));
        },
        [](workspace::ProfileSettings& settings, const QString& id) {
            settings.lower = workspace::findLowerPlot(id.toStdString()).value_or(settings.lower);
        });
}

bool hasGraph(const DocumentPage& page)
{
    return static_cast<const ProfilePage&>(page).controller().document().settings.graph != nullptr;
}

/// The command that names allocations from a graph, or stops doing so.
PageCommand graphCommand()
{
    return {.place = MenuPlace::Own,
            .id = "profile.graph",
            .text = QObject::tr("Use &Graph of the Model…"),
            .run =
                [](DocumentPage& page) {
                    auto& profile = static_cast<ProfilePage&>(page);
                    if (hasGraph(page))
                        profile.controller().useGraph(nullptr);
                    else
                        useGraphOfModel(profile);
                },
            .tip =
                [](const DocumentPage& page) {
                    return hasGraph(page) ? QObject::tr("Stops naming allocations from the graph.")
                                          : QObject::tr("Names allocations after the ops and "
                                                        "modules of the model's traced step.");
                },
            .isChecked = hasGraph};
}

ProfileLive& live(DocumentPage& page)
{
    return static_cast<ProfilePage&>(page).live();
}

const ProfileLive& live(const DocumentPage& page)
{
    return static_cast<const ProfilePage&>(page).live();
}

std::vector<PageCommand> commands()
{
    using enum MenuPlace;
    return {
        {Export, "profile.picture", QObject::tr("Export &Picture…"), "",
         [](DocumentPage& page) {
             auto& profile = static_cast<ProfilePage&>(page);
             profile.exporter().choosePicture(profile.plots(), ProfilePage::tr("plots"));
         },
         "export"},
        {Own, "profile.launch", QObject::tr("&Launch…"), "",
         [](DocumentPage& page) {
             page.window()->findChild<QAction*>(QStringLiteral("file.record"))->trigger();
         },
         "record",
         [](const DocumentPage& page) {
             return page.window()->findChild<QAction*>(QStringLiteral("file.record")) != nullptr;
         }},
        {.place = Own,
         .id = "profile.stop",
         .text = QObject::tr("&Stop the Program"),
         .key = "Ctrl+Shift+R",
         .run = [](DocumentPage& page) { live(page).stopProgram(); },
         .isEnabled = [](const DocumentPage& page) { return live(page).isRecording(); },
         .button = {QObject::tr("Stop"), QStringLiteral("close")}},
        {.place = Own,
         .id = "profile.follow",
         .text = QObject::tr("&Follow the File"),
         .run = [](DocumentPage& page) { live(page).follow(!live(page).isFollowing()); },
         .tip =
             [](const DocumentPage&) {
                 return QObject::tr("Reads the file again whenever it has been written.");
             },
         .isChecked = [](const DocumentPage& page) { return live(page).isFollowing(); }},
        {Own, "profile.alarm", QObject::tr("Set Ala&rm…"), "",
         [](DocumentPage& page) { Q_EMIT live(page).alarmFieldWanted(); }},
        {.place = Own},
        graphCommand(),
        {.place = Own},
        {.place = Own, .text = QObject::tr("Axis"), .choice = axisChoice()},
        {.place = Own, .text = QObject::tr("Layers"), .choice = layerChoice()},
        {.place = Own, .text = QObject::tr("Lower Plot"), .choice = lowerPlotChoice()},
    };
}

} // namespace

WindowCommand messageCommand()
{
    return {.id = "file.diagnose",
            .text = QObject::tr("Diagnose a Message…"),
            .key = "Ctrl+Shift+M",
            .icon = "warn",
            .run = [](const WindowAccess& access) { MessageDialog{&access.window}.exec(); }};
}

PageKind profilePageKind(Settings& settings, ProfileLayout layout,
                         std::shared_ptr<Recorder> recorder)
{
    const auto make = [&settings, layout = std::move(layout), recorder = std::move(recorder)](
                          workspace::DocumentPtr document, QWidget* parent) -> DocumentPage* {
        return new ProfilePage{std::move(document), settings, layout, recorder, parent};
    };
    return {QString::fromStdString(std::string{workspace::kProfileDocument}),
            make,
            {},
            ProfilePage::tr("P&rofile"),
            commands(),
            ProfilePage::tr("Profile"),
            QStringLiteral("profile"),
            QStringLiteral("profile.picture")};
}

} // namespace plimsoll::ui

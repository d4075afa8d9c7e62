// SPDX-License-Identifier: Apache-2.0
#include "ui/compare_page/compare_kind.h"

#include "core/workspace/profile/profile_document.h"
#include "core/workspace/waterfall/waterfall_document.h"
#include "ui/compare_page/compare_page.h"
#include "ui/compare_page/compare_view.h"
#include "ui/compare_page/profile_chooser.h"

#include <utility>

namespace plimsoll::ui {

namespace {

/// The page's profile; null: it shows something else.
const workspace::ProfileDocument* profileOf(const DocumentPage* page)
{
    return page == nullptr
               ? nullptr
               : dynamic_cast<const workspace::ProfileDocument*>(&page->shownDocument());
}

/// Begins with the shown profile, and the other one if just two are open.
workspace::DocumentPtr beginComparison(const DocumentPage* shown)
{
    workspace::ComparedProfiles profiles;
    if (const workspace::ProfileDocument* profile = profileOf(shown)) {
        profiles.push_back(workspace::comparedProfile(*profile));
        const workspace::ComparedProfiles others = openProfiles(*shown->window(), profiles);
        if (others.size() == 1)
            profiles.push_back(others.front());
    }
    return std::make_unique<workspace::ComparisonDocument>(std::move(profiles));
}

void compareWith(DocumentPage& page, Settings& settings)
{
    const workspace::ProfileDocument* profile = profileOf(&page);
    if (profile == nullptr)
        return;
    workspace::ComparedProfiles profiles{workspace::comparedProfile(*profile)};
    const ChosenProfiles chosen =
        chooseProfiles(page, settings, profiles, ProfileChoice::ProfilesOrGraph);
    if (chosen.isEmpty())
        return;
    if (chosen.graph != nullptr) {
        if (auto document = workspace::compareWithGraph(*chosen.graph, profiles.front()))
            page.requestDocument(*std::move(document));
        return;
    }
    profiles.insert(profiles.end(), chosen.open.begin(), chosen.open.end());
    page.requestDocument(std::make_unique<workspace::ComparisonDocument>(std::move(profiles)),
                         chosen.files);
}

PageChoice comparedAxis()
{
    return {.entries = {{QStringLiteral("time"), ComparePage::tr("Time")},
                        {QStringLiteral("events"), ComparePage::tr("Events")}},
            .chosen =
                [](const DocumentPage& page) {
                    const auto& compared = static_cast<const ComparePage&>(page).comparison();
                    return compared.settings.axis == memtrace::Axis::Events
                               ? QStringLiteral("events")
                               : QStringLiteral("time");
                },
            .choose =
                [](DocumentPage& page, const QString& id) {
                    static_cast<ComparePage&>(page).setAxis(id == QStringLiteral("events")
                                                                ? memtrace::Axis::Events
                                                                : memtrace::Axis::Time);
                },
            .below = {}};
}

void exportPicture(DocumentPage& page)
{
    auto& compared = static_cast<ComparePage&>(page);
    compared.exporter().choosePicture(compared.view(), ComparePage::tr("compared"));
}

bool hasTwo(const DocumentPage& page)
{
    return static_cast<const ComparePage&>(page).comparison().profiles().size() > 1;
}

std::vector<PageCommand> compareCommands()
{
    using enum MenuPlace;
    return {
        {Add, "compare.add", ComparePage::tr("Add Profiles…"), "",
         [](DocumentPage& page) { static_cast<ComparePage&>(page).chooseMore(); }},
        {.place = Export,
         .id = "compare.picture",
         .text = ComparePage::tr("Export &Picture…"),
         .run = exportPicture,
         .icon = "export",
         .isEnabled = hasTwo},
        {.place = Own,
         .id = "compare.swap",
         .text = ComparePage::tr("Swap A and B"),
         .run = [](DocumentPage& page) { static_cast<ComparePage&>(page).exchange(0, 1); },
         .isEnabled = hasTwo},
        {.place = Own, .text = ComparePage::tr("Axis"), .choice = comparedAxis()},
    };
}

} // namespace

PageKind comparePageKind(Settings& settings)
{
    PageKind kind;
    kind.id = QString::fromStdString(std::string{workspace::kComparisonDocument});
    kind.make = [&settings](workspace::DocumentPtr document, QWidget* parent) -> DocumentPage* {
        return new ComparePage{std::move(document), settings, parent};
    };
    kind.menu = ComparePage::tr("&Compare");
    kind.commands = compareCommands();
    kind.view = ComparePage::tr("Compare");
    kind.icon = QStringLiteral("compare");
    kind.exporting = QStringLiteral("compare.picture");
    kind.begin = beginComparison;
    kind.joint =
        JointFiles{readers::FileKind::Profile, ComparePage::tr("Open %1 files in Compare")};
    return kind;
}

PageKind withCompareCommand(PageKind profiles, Settings& settings)
{
    profiles.commands.insert(
        profiles.commands.begin(),
        {MenuPlace::Add, "profile.compare", ComparePage::tr("Compare With…"), "Ctrl+Shift+D",
         [&settings](DocumentPage& page) { compareWith(page, settings); }, "compare"});
    return profiles;
}

} // namespace plimsoll::ui

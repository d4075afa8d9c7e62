// SPDX-License-Identifier: Apache-2.0
#include "ui/waterfall_page/waterfall_kind.h"

#include "ui/compare_page/profile_chooser.h"
#include "ui/waterfall_page/waterfall_page.h"
#include "ui/waterfall_page/waterfall_view.h"

#include <utility>

namespace plimsoll::ui {

namespace {

bool hasPicture(const DocumentPage& page)
{
    return static_cast<const WaterfallPage&>(page).picture() != nullptr;
}

void exportWaterfall(DocumentPage& page)
{
    auto& shown = static_cast<WaterfallPage&>(page);
    shown.exporter().choosePicture(shown.view(), WaterfallPage::tr("predicted and measured"));
}

/// The shown graph, with the plan that its budget has, against a profile.
void compareWithMeasured(DocumentPage& page, Settings& settings)
{
    const auto* graph = dynamic_cast<const workspace::PlanDocument*>(&page.shownDocument());
    if (graph == nullptr)
        return;
    const ChosenProfiles chosen = chooseProfiles(page, settings, {}, ProfileChoice::OneProfile);
    if (chosen.isEmpty())
        return;
    auto document = workspace::compareWithGraph(
        *graph,
        chosen.open.empty() ? std::optional<workspace::ComparedProfile>{} : chosen.open.front());
    if (document)
        page.requestDocument(*std::move(document),
                             chosen.open.empty() ? chosen.files.mid(0, 1) : QStringList{});
}

} // namespace

PageKind waterfallPageKind(Settings& settings)
{
    using enum MenuPlace;
    PageKind kind;
    kind.id = QString::fromStdString(std::string{workspace::kWaterfallDocument});
    kind.make = [&settings](workspace::DocumentPtr document, QWidget* parent) -> DocumentPage* {
        return new WaterfallPage{std::move(document), settings, parent};
    };
    kind.menu = WaterfallPage::tr("&Gap");
    kind.commands = {{.place = Own,
                      .id = "waterfall.picture",
                      .text = WaterfallPage::tr("Export &Picture…"),
                      .run = exportWaterfall,
                      .icon = "export",
                      .isEnabled = hasPicture}};
    kind.icon = QStringLiteral("compare");
    kind.exporting = QStringLiteral("waterfall.picture");
    return kind;
}

PageKind withMeasuredCommand(PageKind graphs, Settings& settings)
{
    graphs.commands.push_back(
        {.place = MenuPlace::Own,
         .id = "plan.compare_profile",
         .text = WaterfallPage::tr("Compare With Measured…"),
         .run = [&settings](DocumentPage& page) { compareWithMeasured(page, settings); },
         .icon = "compare"});
    return graphs;
}

} // namespace plimsoll::ui

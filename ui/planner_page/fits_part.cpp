// SPDX-License-Identifier: Apache-2.0
// The page that tells where the step of the document fits.
#include "ui/fits_page/device_fits_pane.h"
#include "ui/fits_page/fits_page.h"
#include "ui/fits_page/largest_sizes_pane.h"
#include "ui/planner_page/planner_page.h"
#include "ui/planner_page/planner_views.h"
#include "ui/problem_form/device_list.h"

#include <algorithm>

namespace plimsoll::ui {

namespace {

FitSettings fitSettings(PlannerPage& page)
{
    const workspace::PlanDocument& document = page.document().document();
    return {document.graph.program, document.choices, document.budget, page.document().allocator(),
            devicesToChoose(ownDevices(page.settings()), document.choices.device)};
}

void takeSize(DocumentController& document, const std::string& name, std::int64_t size)
{
    const std::vector<graph::Axis>& axes = document.document().graph.program->vary->axes;
    const auto axis = std::ranges::find(axes, name, &graph::Axis::name);
    workspace::Choices choices = document.document().choices;
    choices.sizes = workspace::withSize(choices.sizes, *axis, size);
    document.commitChoices(choices);
}

} // namespace

PlannerView makeFitsView(PlannerPage& page)
{
    auto* fits = new FitsPage;
    DocumentController* document = &page.document();
    QObject::connect(&fits->devices(), &DeviceFitsPane::deviceChosen, document,
                     [document](const plan::Device& device) { chooseDevice(*document, device); });
    QObject::connect(
        &fits->sizes(), &LargestSizesPane::sizeChosen, document,
        [document](const std::string& axis, qint64 size) { takeSize(*document, axis, size); });
    QObject::connect(&page.settings(), &Settings::ownDevicesChanged, fits,
                     [fits, &page] { fits->setSettings(fitSettings(page)); });
    return {.widget = fits,
            .update =
                [fits, &page](const PlannerState& /*state*/, Changes what) {
                    if (what & (Change::Choices | Change::Planned | Change::AtRest))
                        fits->setSettings(fitSettings(page));
                },
            .jobs = fits->jobs()};
}

} // namespace plimsoll::ui

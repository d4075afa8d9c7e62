// SPDX-License-Identifier: Apache-2.0
#include "ui/document_page/open_graphs.h"

#include "ui/document_page/document_page.h"

namespace plimsoll::ui {

std::vector<const workspace::PlanDocument*> openGraphs(const QWidget& window)
{
    std::vector<const workspace::PlanDocument*> found;
    for (const DocumentPage* page : window.findChildren<DocumentPage*>())
        if (const auto* graph =
                dynamic_cast<const workspace::PlanDocument*>(&page->shownDocument()))
            found.push_back(graph);
    return found;
}

} // namespace plimsoll::ui

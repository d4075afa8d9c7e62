// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/budget.h"
#include "ui/base/theme.h"
#include "ui/document_page/pages_dock.h"
#include "ui/planner_page/planner_page.h"
#include "ui/shell/main_window.h"

#include "tests/support/temp_folder.h"

#include <functional>
#include <memory>
#include <optional>

class QPushButton;

namespace plimsoll::tests {

inline constexpr int kPatience =
    180'000; ///< ms, for planning the largest sample on a busy computer

/// resources/samples/NAME.plimsoll.json.gz
[[nodiscard]] QString sampleFile(const char* name);

/// The view of a page: "viewOf<BudgetPanel>(*page)". Requires that it has one.
template <typename View>
[[nodiscard]] View& viewOf(const ui::DocumentPage& page)
{
    return *page.findChild<View*>();
}

/// The dock with the plan, its runs and what is live.
[[nodiscard]] inline ui::PagesDock& planDock(const ui::DocumentPage& page)
{
    return page.dock(QStringLiteral("plan"));
}

/// Chooses a page of that dock as a person does: by its tab, or in the menu of tabs without room.
/// `title` is how it begins.
void chooseTab(const ui::DocumentPage& page, const QString& title,
               const QString& dock = QStringLiteral("plan"));

/// The visible button with this text; null: there is none.
[[nodiscard]] QPushButton* buttonOf(const QWidget& parent, const char* text);

/// What is wrong with the picture of a page; empty: nothing. Budget, line, field, panel, frontier
/// and timeline must be those of one plan, or the page says that it is planning.
[[nodiscard]] QString pictureFault(ui::PlannerPage& page);

/// A shown window with settings of its own. Closing never asks, unless a test says otherwise.
class WindowFixture
{
protected:
    /// `extend` may add kinds of documents and pages to those of the program.
    void openWindow(QSize size = {1440, 900},
                    std::optional<base::Budget> firstBudget = std::nullopt,
                    const std::function<void(ui::PageRegistry&)>& extend = {});
    void closeWindow();
    /// Null on the start page.
    [[nodiscard]] ui::PlannerPage* currentPage() const;
    /// Null when the file doesn't open.
    ui::PlannerPage* open(const QString& path);
    /// Open, and all that was to be planned is.
    ui::PlannerPage* openPlanned(const char* sample = "resnet18");
    /// The same from a copy of a session: the sample is planned once for all tests of the program.
    /// For tests that need no unsaved page.
    ui::PlannerPage* openKept(const char* sample);
    /// Waits until nothing is left to plan.
    [[nodiscard]] static bool isDone(ui::PlannerPage& page);
    void trigger(const char* id);
    [[nodiscard]] static QPoint budgetHandle(ui::PlannerPage& page);

    std::unique_ptr<tests::TempFolder> m_folder;
    std::unique_ptr<ui::Theme> m_theme;
    std::unique_ptr<ui::Settings> m_settings;
    std::unique_ptr<ui::MainWindow> m_window;
};

} // namespace plimsoll::tests

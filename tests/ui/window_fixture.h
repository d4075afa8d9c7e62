// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/theme.h"
#include "ui/shell/actions.h"
#include "ui/shell/main_window.h"

#include "tests/support/temp_folder.h"

#include <memory>

namespace plimsoll::tests {

inline constexpr int kPatience = 60'000; ///< ms, for planning in a debug build on a busy computer

/// resources/samples/NAME.plimsoll.json.gz
[[nodiscard]] QString samplePath(const char* name);

/// A shown window with settings of its own. Closing never asks, unless a test says otherwise.
class WindowFixture
{
protected:
    void openWindow(QSize size = {1440, 900});
    void closeWindow();
    /// Null when the file doesn't open.
    ui::PlannerPage* open(const QString& path);
    /// Open, and all that was to be planned is.
    ui::PlannerPage* openPlanned(const char* sample = "resnet18");
    /// Waits until nothing is left to plan.
    [[nodiscard]] static bool isDone(ui::PlannerPage& page);
    void trigger(const char* id);
    [[nodiscard]] static QPoint budgetHandle(ui::PlannerPage& page);

    std::unique_ptr<support::TempFolder> m_folder;
    std::unique_ptr<ui::Theme> m_theme;
    std::unique_ptr<ui::Settings> m_settings;
    std::unique_ptr<ui::MainWindow> m_window;
};

} // namespace plimsoll::tests

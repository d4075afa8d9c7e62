// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/budget.h"
#include "core/workspace/planning.h"
#include "ui/base/settings.h"
#include "ui/base/theme.h"
#include "ui/document_page/page_registry.h"

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

namespace plimsoll::gui {

/// The options of the command line.
struct Arguments
{
    QStringList files;
    std::optional<ui::ThemeChoice> theme;
    std::optional<QSize> size;
    std::optional<base::Budget> budget; ///< a ratio is of the unplanned peak
    std::optional<plan::Device> device;
    QString screenshot; ///< picture to write, then the program ends
    bool drag = false;  ///< take it while the budget line is dragged
};

/// Reads the command line; needs no display, so it runs before the application is created. Exits
/// after --help, --version and errors.
[[nodiscard]] Arguments readArguments(int argc, char** argv);

/// The kinds of documents that the program opens.
[[nodiscard]] ui::PageRegistry pageKinds(ui::Settings& settings, const Arguments& arguments);

} // namespace plimsoll::gui

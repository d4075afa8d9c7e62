// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/planning.h"
#include "ui/base/theme.h"

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

namespace plimsoll::gui {

/// What the command line asks for.
struct Arguments
{
    QStringList files;
    std::optional<ui::ThemeChoice> theme;
    std::optional<QSize> size;
    std::optional<base::Bytes> budget;
    workspace::Choices choices;
    QString screenshot; ///< picture to write, then the program ends
    bool drag = false;  ///< take it while the budget line is dragged
};

/// Reads the arguments of the running application. Ends the program after --help, --version and
/// mistakes.
[[nodiscard]] Arguments readArguments();

} // namespace plimsoll::gui

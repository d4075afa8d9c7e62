// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

class QWidget;

namespace plimsoll::ui {

/// Sets the manual page for a widget and everything in it: "planners.md#rotor".
void setManualPage(QWidget& widget, const QString& page);
/// The page of the widget, or of its nearest ancestor that has one; empty if there is none.
[[nodiscard]] QString manualPage(const QWidget* widget);

} // namespace plimsoll::ui

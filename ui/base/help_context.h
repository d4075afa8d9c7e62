// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

class QWidget;

namespace plimsoll::ui {

/// Names the page of the manual about a widget and everything in it: "planners.md#rotor".
void setManualPage(QWidget& widget, const QString& page);
/// The page of the widget, or of its nearest ancestor that has one; empty: none.
[[nodiscard]] QString manualPage(const QWidget* widget);

} // namespace plimsoll::ui

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <QByteArray>
#include <QString>

class QWidget;

namespace plimsoll::ui {

/// Names of the formats for a file dialog.
[[nodiscard]] QString pictureFilters();

/// What a widget shows, as SVG, PNG at twice its size, or PDF, by the file's extension; without
/// one, or with another, as SVG. Text stays text in SVG and PDF. On the GUI thread.
[[nodiscard]] base::Result<QByteArray> widgetPicture(QWidget& widget, const QString& path);

} // namespace plimsoll::ui

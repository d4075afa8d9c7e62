// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/evaluate/frontier.h"

#include <QByteArray>
#include <QString>

namespace plimsoll::ui {

/// Whether pictures are drawn for files of this name: PNG and PDF. SVG is a writer's.
[[nodiscard]] bool isDrawn(const QString& path);
/// The writers' picture of the plan's timeline as a PNG, twice as large, or as a page of PDF. Off
/// the GUI thread.
[[nodiscard]] base::Result<QByteArray> drawnPicture(const plan::FrontierPoint& plan,
                                                    const QString& path);

} // namespace plimsoll::ui

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtGlobal>

class QString;
class QTextDocument;

namespace plimsoll::ui {

/// Applies the theme's fonts, colours and distances to a document read from Markdown, and gives
/// each heading its anchor.
void styleManual(QTextDocument& document);
/// Whether that was done since its text was set.
[[nodiscard]] bool isManualStyled(const QTextDocument& document);
/// Scales the pictures of the page at `path` down to a width in logical pixels, for a screen with
/// this ratio.
void fitPictures(QTextDocument& document, const QString& path, int width, qreal pixelRatio);

} // namespace plimsoll::ui

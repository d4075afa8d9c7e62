// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/manual/manual_pages.h"

namespace plimsoll::ui {

/// A section in which all words of a search occur.
struct ManualHit
{
    int score = 0;
    QString target;  ///< path and anchor
    QString title;   ///< of the section
    QString page;    ///< title of its page, empty if the section is the page's first one
    QString excerpt; ///< the text around the first word
};

/// The words of a search, in lower case.
[[nodiscard]] QStringList searchWords(const QString& text);
/// Best first: words in titles count more than words in texts, manual pages more than descriptions
/// beside the code. Empty without words.
[[nodiscard]] std::vector<ManualHit> searchManual(const std::vector<ManualPage>& pages,
                                                  const QStringList& words);

} // namespace plimsoll::ui

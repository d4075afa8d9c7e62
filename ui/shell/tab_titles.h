// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

namespace plimsoll::ui {

struct TabName
{
    QString title;
    QString file; ///< empty: none
};

/// The titles, each different from the others: documents of one title are told apart by the
/// innermost folder in which their files differ, and those of one file by a number.
[[nodiscard]] QStringList distinctTitles(const std::vector<TabName>& names);

} // namespace plimsoll::ui

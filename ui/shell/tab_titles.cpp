// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/tab_titles.h"

#include <QDir>
#include <QHash>

#include <algorithm>

namespace plimsoll::ui {

namespace {

/// The folders of a file, innermost first.
QStringList foldersOf(const QString& file)
{
    QStringList folders = QDir::cleanPath(file).split(u'/', Qt::SkipEmptyParts);
    if (!folders.isEmpty())
        folders.removeLast();
    std::reverse(folders.begin(), folders.end());
    return folders;
}

/// The innermost folder that all others have otherwise; empty: there is none.
QString folderOfItsOwn(std::size_t which, const std::vector<TabName>& alike)
{
    const QStringList own = foldersOf(alike[which].file);
    for (qsizetype depth = 0; depth < own.size(); ++depth) {
        const auto hasIt = [&](const TabName& other) {
            return foldersOf(other.file).value(depth) == own[depth];
        };
        if (std::ranges::count_if(alike, hasIt) == 1)
            return own[depth];
    }
    return {};
}

} // namespace

QStringList distinctTitles(const std::vector<TabName>& names)
{
    QStringList titles;
    QHash<QString, int> shown;
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::vector<TabName> alike;
        std::size_t which = 0;
        for (std::size_t k = 0; k < names.size(); ++k) {
            if (names[k].title != names[i].title)
                continue;
            if (k == i)
                which = alike.size();
            alike.push_back(names[k]);
        }
        QString title = names[i].title;
        if (const QString folder = alike.size() > 1 ? folderOfItsOwn(which, alike) : QString{};
            !folder.isEmpty())
            title += QStringLiteral(" — ") + folder;
        if (const int before = shown[title]++; before > 0)
            title += QStringLiteral(" (%1)").arg(before + 1);
        titles.push_back(title);
    }
    return titles;
}

} // namespace plimsoll::ui

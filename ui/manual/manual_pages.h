// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QHash>
#include <QString>
#include <QStringList>
#include <QUrl>

#include <vector>

namespace plimsoll::ui {

inline constexpr QStringView kManualFolder{u"resources/manual/"};

/// What stands below one heading.
struct ManualSection
{
    int level = 1;
    QString title;
    QString anchor; ///< as web sites make it from the title, unique in the page
    QString text;   ///< without markup, in one line
};

/// One Markdown file.
struct ManualPage
{
    QString path; ///< from the repository's root: "resources/manual/planners.md"
    std::vector<ManualSection> sections; ///< the first one is the page's title
    QStringList links;                   ///< targets as they are written

    [[nodiscard]] QString title() const { return sections.empty() ? path : sections[0].title; }
    /// Whether it is a page of the manual; the others are descriptions beside the code.
    [[nodiscard]] bool isChapter() const { return path.startsWith(kManualFolder); }
};

/// A heading's anchor; `taken` counts those of the page.
[[nodiscard]] QString anchorOf(const QString& title, QHash<QString, int>& taken);
[[nodiscard]] ManualPage parseManualPage(const QString& path, const QString& markdown);

/// Where a link leads to: a path from the repository's root with its anchor, or the link itself if
/// it isn't relative.
[[nodiscard]] QString resolvedLink(const QString& fromPath, const QString& link);

/// The pages that the program carries: the manual's first page and what can be reached from it, in
/// the order of the links. Makes them known to Qt's resource system.
[[nodiscard]] std::vector<ManualPage> readManual();
/// The address of a path with or without an anchor among the program's resources.
[[nodiscard]] QUrl manualUrl(const QString& pathAndAnchor);
/// The other way round.
[[nodiscard]] QString manualPath(const QUrl& url);

} // namespace plimsoll::ui

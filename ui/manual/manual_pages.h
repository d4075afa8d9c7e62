// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QHash>
#include <QString>
#include <QStringList>
#include <QUrl>

#include <vector>

namespace plimsoll::ui {

inline constexpr QStringView kManualFolder{u"resources/manual/"};

/// The text below one heading.
struct ManualSection
{
    int level = 1;
    QString title;
    QString anchor; ///< as web sites derive it from the title, unique in the page
    QString text;   ///< without markup, in one line
};

/// One Markdown file.
struct ManualPage
{
    QString path; ///< from the repository's root: "resources/manual/planners.md"
    std::vector<ManualSection> sections; ///< the first one is the page's title
    QStringList links;                   ///< link targets as written

    [[nodiscard]] QString title() const { return sections.empty() ? path : sections[0].title; }
    /// Whether it is a page of the manual; others are descriptions beside the code.
    [[nodiscard]] bool isChapter() const { return path.startsWith(kManualFolder); }
};

/// A heading's anchor; `taken` counts the anchors of the page.
[[nodiscard]] QString anchorOf(const QString& title, QHash<QString, int>& taken);
[[nodiscard]] ManualPage parseManualPage(const QString& path, const QString& markdown);

/// The target of a link: a path from the repository's root with its anchor, or the link itself if
/// it isn't relative.
[[nodiscard]] QString resolvedLink(const QString& fromPath, const QString& link);

/// The embedded pages: the manual's first page and everything reachable from it, in the order of
/// the links. Registers them with Qt's resource system.
[[nodiscard]] std::vector<ManualPage> readManual();
/// The resource URL of a path with or without an anchor.
[[nodiscard]] QUrl manualUrl(const QString& pathAndAnchor);
/// The inverse.
[[nodiscard]] QString manualPath(const QUrl& url);

} // namespace plimsoll::ui

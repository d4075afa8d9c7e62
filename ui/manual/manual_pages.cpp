// SPDX-License-Identifier: Apache-2.0
#include "ui/manual/manual_pages.h"

#include <QDir>
#include <QFile>
#include <QHash>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>
#include <functional>

// Q_INIT_RESOURCE declares a function of the global namespace, so it can't stand inside ours.
static void registerManual()
{
    Q_INIT_RESOURCE(manual);
}

namespace plimsoll::ui {

namespace {

constexpr QStringView kRoot{u"/plimsoll/documents/"};

/// Moves link targets into `links` and keeps their texts; text in backticks stays as it is.
QString withoutMarkup(QString line, QStringList& links)
{
    static const QRegularExpression kLink{QStringLiteral(R"((!?)\[([^\]]*)\]\(([^)\s]+)\))")};
    static const QRegularExpression kRule{QStringLiteral(R"(^\|?[\s|:-]+$)")};
    if (kRule.match(line).hasMatch())
        return {};
    for (auto all = kLink.globalMatch(line); all.hasNext();)
        links << all.next().captured(3);
    line.replace(kLink, QStringLiteral("\\2"));
    line.remove(QLatin1String("**")).remove(u'`').replace(QLatin1String("\\|"), QLatin1String("|"));
    return line.replace(QLatin1String(" | "), QLatin1String("  ")).remove(u'|').simplified();
}

QString content(const QString& path)
{
    QFile file{u':' + kRoot + path};
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString{};
}

} // namespace

QString anchorOf(const QString& title, QHash<QString, int>& taken)
{
    QString anchor;
    for (const QChar c : title.toLower())
        if (c.isLetterOrNumber() || c == u'-' || c == u'_')
            anchor += c;
        else if (c == u' ')
            anchor += u'-';
    const int before = taken[anchor]++;
    return before == 0 ? anchor : anchor + u'-' + QString::number(before);
}

ManualPage parseManualPage(const QString& path, const QString& markdown)
{
    static const QRegularExpression kHeading{QStringLiteral("^(#{1,6}) +(.*)$")};
    ManualPage page{path, {}, {}};
    QHash<QString, int> taken;
    bool isCode = false;
    for (const QString& line : markdown.split(u'\n')) {
        if (line.startsWith(QLatin1String("```"))) {
            isCode = !isCode;
            continue;
        }
        const QRegularExpressionMatch match =
            isCode ? QRegularExpressionMatch{} : kHeading.match(line);
        if (match.hasMatch()) {
            const QString title = withoutMarkup(match.captured(2), page.links);
            page.sections.push_back(
                {static_cast<int>(match.capturedLength(1)), title, anchorOf(title, taken), {}});
            continue;
        }
        const QString text = isCode ? line.simplified() : withoutMarkup(line, page.links);
        if (page.sections.empty() || text.isEmpty())
            continue;
        QString& all = page.sections.back().text;
        all += (all.isEmpty() ? QString{} : QStringLiteral(" ")) + text;
    }
    return page;
}

QString resolvedLink(const QString& fromPath, const QString& link)
{
    if (!QUrl{link}.isRelative())
        return link;
    if (link.startsWith(u'#'))
        return fromPath + link;
    const qsizetype slash = fromPath.lastIndexOf(u'/');
    return QDir::cleanPath(fromPath.left(slash + 1) + link);
}

std::vector<ManualPage> readManual()
{
    registerManual();
    std::vector<ManualPage> pages;
    QStringList paths{kManualFolder + QStringLiteral("index.md")};
    QSet<QString> known{paths.front()};
    while (!paths.isEmpty()) {
        const QString path = paths.takeFirst();
        const QString markdown = content(path);
        if (markdown.isEmpty())
            continue;
        pages.push_back(parseManualPage(path, markdown));
        for (const QString& link : pages.back().links) {
            const QString target = resolvedLink(path, link).section(u'#', 0, 0);
            if (target.endsWith(QLatin1String(".md")) && !known.contains(target)) {
                known.insert(target);
                paths << target;
            }
        }
    }
    std::ranges::stable_partition(pages, std::mem_fn(&ManualPage::isChapter));
    return pages;
}

QUrl manualUrl(const QString& pathAndAnchor)
{
    QUrl url{QStringLiteral("qrc:") + kRoot + pathAndAnchor.section(u'#', 0, 0)};
    if (const QString anchor = pathAndAnchor.section(u'#', 1); !anchor.isEmpty())
        url.setFragment(anchor);
    return url;
}

QString manualPath(const QUrl& url)
{
    const QString path = url.path().mid(kRoot.size());
    return url.hasFragment() ? path + u'#' + url.fragment() : path;
}

} // namespace plimsoll::ui

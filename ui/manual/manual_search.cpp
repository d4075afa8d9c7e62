// SPDX-License-Identifier: Apache-2.0
#include "ui/manual/manual_search.h"

#include <algorithm>
#include <functional>

namespace plimsoll::ui {

namespace {

constexpr int kTitle = 100;
constexpr int kWholeTitle = 200; ///< in addition
constexpr int kPageTitle = 20;
constexpr int kMostOccurrences = 10;
constexpr int kChapter = 50;
constexpr qsizetype kBefore = 30;
constexpr qsizetype kExcerpt = 110;

/// Returns 0 if one of the words is missing.
int scoreOf(const ManualPage& page, const ManualSection& section, const QStringList& words)
{
    int score = page.isChapter() ? kChapter : 0;
    for (const QString& word : words) {
        const bool inTitle = section.title.contains(word, Qt::CaseInsensitive);
        const auto count = static_cast<int>(section.text.count(word, Qt::CaseInsensitive));
        if (!inTitle && count == 0)
            return 0;
        score += (inTitle ? kTitle : 0) + std::min(count, kMostOccurrences);
        score += page.title().contains(word, Qt::CaseInsensitive) ? kPageTitle : 0;
    }
    const bool isTitle = section.title.compare(words.join(u' '), Qt::CaseInsensitive) == 0;
    return score + (isTitle ? kWholeTitle : 0);
}

QString excerptOf(const QString& text, const QStringList& words)
{
    // The place where all words are adjacent, otherwise the first of them.
    const qsizetype together = text.indexOf(words.join(u' '), 0, Qt::CaseInsensitive);
    qsizetype at = together >= 0 ? together : text.size();
    for (const QString& word : words)
        if (const qsizetype found = text.indexOf(word, 0, Qt::CaseInsensitive);
            together < 0 && found >= 0)
            at = std::min(at, found);
    if (at == text.size() || at < kBefore)
        return text.left(kExcerpt).trimmed();
    const qsizetype space = text.indexOf(u' ', at - kBefore);
    return u'…' + text.mid(std::min(space + 1, at), kExcerpt).trimmed();
}

} // namespace

QStringList searchWords(const QString& text)
{
    QStringList words = text.toLower().simplified().split(u' ', Qt::SkipEmptyParts);
    words.removeDuplicates();
    return words;
}

std::vector<ManualHit> searchManual(const std::vector<ManualPage>& pages, const QStringList& words)
{
    if (words.isEmpty())
        return {};
    std::vector<ManualHit> hits;
    for (const ManualPage& page : pages)
        for (const ManualSection& section : page.sections) {
            const int score = scoreOf(page, section, words);
            if (score == 0)
                continue;
            const bool isFirst = &section == page.sections.data();
            hits.push_back({score, page.path + (isFirst ? QString{} : u'#' + section.anchor),
                            section.title, isFirst ? QString{} : page.title(),
                            excerptOf(section.text, words)});
        }
    std::ranges::stable_sort(hits, std::ranges::greater{}, &ManualHit::score);
    return hits;
}

} // namespace plimsoll::ui

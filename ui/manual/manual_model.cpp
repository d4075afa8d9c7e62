// SPDX-License-Identifier: Apache-2.0
#include "ui/manual/manual_model.h"

#include "ui/manual/manual_search.h"

#include <algorithm>

namespace plimsoll::ui {

ManualModel::ManualModel(std::vector<ManualPage> pages, QObject* parent)
    : QAbstractListModel{parent}, m_pages{std::move(pages)}
{
    listContents();
}

void ManualModel::setPage(const QString& path)
{
    if (m_page == path)
        return;
    m_page = path;
    if (!m_isSearching)
        listContents();
}

void ManualModel::setSearch(const QStringList& words)
{
    if (words.isEmpty()) {
        if (m_isSearching)
            listContents();
        return;
    }
    beginResetModel();
    m_isSearching = true;
    m_rows.clear();
    for (const ManualHit& hit : searchManual(m_pages, words)) {
        const QString title =
            hit.page.isEmpty() ? hit.title : tr("%1 (%2)").arg(hit.title, hit.page);
        m_rows.push_back({hit.target, title, hit.excerpt, 0});
    }
    endResetModel();
}

void ManualModel::listContents()
{
    beginResetModel();
    m_isSearching = false;
    m_rows.clear();
    for (const ManualPage& page : m_pages) {
        const bool isShown = page.path == m_page;
        if (!page.isChapter() && !isShown)
            continue;
        m_rows.push_back({page.path, page.title(), {}, 0});
        for (const ManualSection& section : page.sections)
            if (isShown && section.level == 2)
                m_rows.push_back({page.path + u'#' + section.anchor, section.title, {}, 1});
    }
    endResetModel();
}

int ManualModel::rowOf(const QString& target) const
{
    const auto row = std::ranges::find(m_rows, target, &Row::target);
    return row == m_rows.end() ? -1 : static_cast<int>(row - m_rows.begin());
}

int ManualModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant ManualModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return row.title;
    case TargetRole: return row.target;
    case NoteRole: return row.note;
    case LevelRole: return row.level;
    case Qt::AccessibleDescriptionRole: return row.note;
    default: return {};
    }
}

} // namespace plimsoll::ui

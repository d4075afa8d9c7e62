// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/manual/manual_pages.h"

#include <QAbstractListModel>

namespace plimsoll::ui {

/// The list beside a page: the manual's pages, the shown one with its sections; or, while something
/// is searched, the sections in which it occurs.
class ManualModel : public QAbstractListModel
{
    Q_OBJECT

public:
    enum ItemRole {
        TargetRole = Qt::UserRole, ///< path and anchor
        NoteRole,                  ///< a second line, empty: none
        LevelRole,                 ///< 0: a page or a hit, 1: a section of the page above
    };

    explicit ManualModel(std::vector<ManualPage> pages, QObject* parent = nullptr);

    [[nodiscard]] const std::vector<ManualPage>& pages() const { return m_pages; }
    /// The page whose sections are listed.
    void setPage(const QString& path);
    /// Without words the contents are listed.
    void setSearch(const QStringList& words);
    [[nodiscard]] bool isSearching() const { return m_isSearching; }
    /// The row about a path with or without an anchor; -1: none.
    [[nodiscard]] int rowOf(const QString& target) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    struct Row
    {
        QString target;
        QString title;
        QString note;
        int level = 0;
    };

    void listContents();

    std::vector<ManualPage> m_pages;
    std::vector<Row> m_rows;
    QString m_page;
    bool m_isSearching = false;
};

} // namespace plimsoll::ui

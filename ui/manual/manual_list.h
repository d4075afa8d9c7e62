// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/manual/manual_pages.h"

#include <QListView>

class QStandardItemModel;

namespace plimsoll::ui {

/// The list beside a page: the manual's pages, the shown one with its sections; during a search,
/// the sections with hits.
class ManualList : public QListView
{
    Q_OBJECT

public:
    enum ItemRole {
        TargetRole = Qt::UserRole, ///< path and anchor
        LevelRole,                 ///< 0: a page or a hit, 1: a section of the page above
    };

    explicit ManualList(std::vector<ManualPage> pages, QWidget* parent = nullptr);

    /// Selects the row of a path with or without an anchor, and lists the sections of its page.
    void goTo(const QString& target);
    /// Without words, lists the contents.
    void search(const QStringList& words);
    void chooseCurrent() { choose(currentIndex()); }

Q_SIGNALS:
    void chosen(const QString& target);

private:
    void choose(const QModelIndex& row);
    void listContents();
    void listHits(const QStringList& words);
    bool selectRow(const QString& target);

    std::vector<ManualPage> m_pages;
    QStandardItemModel* m_model;
    QString m_page; ///< whose sections are listed
    bool m_isSearching = false;
};

} // namespace plimsoll::ui

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QHeaderView>
#include <QStyledItemDelegate>

#include <functional>
#include <initializer_list>
#include <utility>

class QTableView;
class QTreeView;

namespace plimsoll::ui {

/// Pixels left and right of a cell's text, icons aside.
[[nodiscard]] int cellPads(bool isNumber);

/// Rows of 24, no grid, whole rows selected, digits of equal width in right-aligned cells. The bar
/// of a cell (CellRole) is drawn to the left of its figure.
class TableDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    explicit TableDelegate(QObject* parent);

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const override;

protected:
    /// The text of a cell, elided if it is wider than `width`.
    [[nodiscard]] virtual QString fitted(const QFont& font, const QModelIndex& index,
                                         const QString& text, Qt::TextElideMode mode,
                                         int width) const;

private:
    /// `isPlain`: on the table's own background.
    static void paintText(QPainter& painter, const QRect& cell, const QString& shown, bool isPlain);
    static void paintNumber(QPainter& painter, const QRectF& cell, const QModelIndex& index,
                            const QString& text, bool isPlain);
};

/// The same with the rows of trees, which are 22 high.
class TreeDelegate : public TableDelegate
{
    Q_OBJECT

public:
    using TableDelegate::TableDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const override;
};

/// The header of a table: small and muted; the sort arrow doesn't overlap its text or the right
/// edge, where the figures end.
class TableHeader : public QHeaderView
{
    Q_OBJECT

public:
    /// `pad`: left and right of each text, as the cells have it.
    explicit TableHeader(QWidget* parent, int pad = 8);

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;

private:
    int m_pad; ///< before scaling
};

/// Gives a table the look of the design; the model must already be set.
void applyTableLook(QTableView& table);
/// The same for a tree, with the header of tables; its rows are as high as their delegate says.
void applyTreeLook(QTreeView& tree, QStyledItemDelegate* delegate);
/// A table of the model, which it owns, with that look; screen readers read the name and the
/// sentence.
[[nodiscard]] QTableView* makeTable(QAbstractItemModel* model, QWidget* parent, const QString& name,
                                    const QString& sentence = {});
/// Widths of columns, before scaling; the stretched one gets the remaining room.
void setColumnWidths(QHeaderView& header, int stretched,
                     std::initializer_list<std::pair<int, int>> widths);
/// A page with the table, or with a sentence while that has no rows.
[[nodiscard]] QWidget* makeTablePage(QTableView* table, const QString& whileEmpty);
/// A command in the table's context menu. Its shortcut, if any, works in the table only.
void addTableAction(QTableView& table, const QString& text, const QKeySequence& key,
                    const std::function<void()>& run);

} // namespace plimsoll::ui

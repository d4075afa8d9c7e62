// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QModelIndex>
#include <QObject>

#include <set>
#include <vector>

class QFont;
class QHeaderView;
class QTableView;

namespace plimsoll::ui {

/// How wide a column has to be for its head, with room for the sort arrow if the header shows one.
[[nodiscard]] int headWidth(const QHeaderView& header, int column);
/// How wide a column has to be for a text, and for a right-aligned figure.
[[nodiscard]] int textWidth(const QFont& font, const QString& text);
[[nodiscard]] int figureWidth(const QFont& font, const QString& text);
/// How wide a column has to be for a cell's icon and text, without the indentation of trees.
[[nodiscard]] int cellWidth(const QFont& font, const QModelIndex& index);

/// A column that may be narrower than its content, down to a width before scaling.
struct YieldingColumn
{
    int column = 0;
    int least = 0;
};

/// Keeps the columns of a table as wide as their heads and cells, except those that the user gave
/// another width.
class ColumnFitter : public QObject
{
    Q_OBJECT

public:
    /// `stretched` gets the remaining room. Without room for all columns it is narrowed first, then
    /// the others of `yielding` in their order. The table owns the fitter.
    ColumnFitter(QTableView& table, YieldingColumn stretched, std::vector<YieldingColumn> yielding);

    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fit();
    [[nodiscard]] int contentWidth(int column) const;

    QTableView& m_table;
    YieldingColumn m_stretched;
    std::vector<YieldingColumn> m_yielding;
    std::set<int> m_byHand; ///< columns
    bool m_isFitting = false;
};

} // namespace plimsoll::ui

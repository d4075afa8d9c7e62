// SPDX-License-Identifier: Apache-2.0
#include "ui/tables/column_fitter.h"

#include "ui/base/drawn_text.h"
#include "ui/base/theme.h"
#include "ui/tables/cell_roles.h"
#include "ui/tables/table_look.h"

#include <QEvent>
#include <QHeaderView>
#include <QTableView>

#include <algorithm>
#include <map>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr int kMeasuredRows = 400; ///< enough to see how wide a column's texts are
constexpr int kArrow = 14;         ///< before scaling
constexpr int kIcon = 22;
constexpr int kBar = 64;

} // namespace

int headWidth(const QHeaderView& header, int column)
{
    const Theme& theme = Theme::current();
    const QString head = header.model()->headerData(column, Qt::Horizontal).toString();
    const int arrow = header.isSortIndicatorShown() ? theme.px(kArrow) : 0;
    return qRound(nameWidth(theme.font(TextRole::Small), head)) + 1 + arrow + cellPads(true);
}

int textWidth(const QFont& font, const QString& text)
{
    return qRound(nameWidth(font, text)) + 1 + cellPads(false);
}

int figureWidth(const QFont& font, const QString& text)
{
    return qRound(numberWidth(font, text)) + 1 + cellPads(true);
}

int cellWidth(const QFont& font, const QModelIndex& index)
{
    const QString text = index.data().toString();
    const auto alignment = index.data(Qt::TextAlignmentRole).value<Qt::Alignment>();
    if (alignment.testFlag(Qt::AlignRight))
        return figureWidth(font, text);
    const int icon = index.data(Qt::DecorationRole).isValid() ? Theme::current().px(kIcon) : 0;
    return textWidth(font, text) + icon;
}

ColumnFitter::ColumnFitter(QTableView& table, YieldingColumn stretched,
                           std::vector<YieldingColumn> yielding)
    : QObject{&table}, m_table{table}, m_stretched{stretched}, m_yielding{std::move(yielding)}
{
    QHeaderView* header = table.horizontalHeader();
    header->setStretchLastSection(false);
    header->setSectionResizeMode(stretched.column, QHeaderView::Stretch);
    connect(header, &QHeaderView::sectionResized, this, [this](int column, int before, int now) {
        // A column that is hidden or shown passes through the width 0.
        if (!m_isFitting && before > 0 && now > 0 && column != m_stretched.column)
            m_byHand.insert(column);
    });
    connect(table.model(), &QAbstractItemModel::modelReset, this, &ColumnFitter::fit);
    connect(table.model(), &QAbstractItemModel::dataChanged, this, &ColumnFitter::fit);
    connect(&Theme::current(), &Theme::changed, this, &ColumnFitter::fit);
    table.viewport()->installEventFilter(this);
}

bool ColumnFitter::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        fit();
    return QObject::eventFilter(watched, event);
}

void ColumnFitter::fit()
{
    if (m_isFitting)
        return;
    const Theme& theme = Theme::current();
    std::map<int, int> widths;
    int excess = theme.px(m_stretched.least) - m_table.viewport()->width();
    for (int column = 0; column < m_table.model()->columnCount(); ++column) {
        if (m_table.isColumnHidden(column) || column == m_stretched.column)
            continue;
        widths[column] =
            m_byHand.contains(column) ? m_table.columnWidth(column) : contentWidth(column);
        excess += widths[column];
    }
    for (const YieldingColumn& yielding : m_yielding) {
        const auto found = widths.find(yielding.column);
        if (found == widths.end() || m_byHand.contains(yielding.column))
            continue;
        const int most = std::max(found->second - theme.px(yielding.least), 0);
        const int taken = std::clamp(excess, 0, most);
        found->second -= taken;
        excess -= taken;
    }
    m_isFitting = true;
    for (const auto& [column, width] : widths)
        m_table.setColumnWidth(column, width);
    m_isFitting = false;
}

int ColumnFitter::contentWidth(int column) const
{
    const QAbstractItemModel& model = *m_table.model();
    int width = headWidth(*m_table.horizontalHeader(), column);
    const bool hasBar = model.index(0, column).data(FractionRole).isValid();
    const int bar = hasBar ? Theme::current().px(kBar) : 0;
    for (int row = 0; row < std::min(model.rowCount(), kMeasuredRows); ++row)
        width = std::max(width, cellWidth(m_table.font(), model.index(row, column)));
    return width + bar;
}

} // namespace plimsoll::ui

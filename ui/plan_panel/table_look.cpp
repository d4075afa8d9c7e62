// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_panel/table_look.h"

#include "ui/base/icons.h"
#include "ui/base/numbers.h"
#include "ui/base/theme.h"
#include "ui/models/plan_model.h"

#include <QPainter>
#include <QTableView>

namespace plimsoll::ui {

void TableDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const
{
    const auto alignment = index.data(Qt::TextAlignmentRole).value<Qt::Alignment>();
    if (!alignment.testFlag(Qt::AlignRight)) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    QStyleOptionViewItem plain = option;
    initStyleOption(&plain, index);
    const QString text = plain.text;
    plain.text.clear();
    option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &plain, painter, option.widget);

    const Theme& theme = Theme::current();
    const QRectF cell = QRectF{option.rect}.adjusted(theme.px(8), 0, -theme.px(8), 0);
    painter->save();
    painter->setFont(option.font);
    const double width = numberWidth(option.font, text);
    const QVariant fraction = index.data(PlanModel::FractionRole);
    const double room = cell.width() - theme.px(72);
    if (index.column() == PlanModel::SavedColumn && fraction.isValid() && room > theme.px(24)) {
        const QRectF track{cell.left(), cell.center().y() - theme.px(4), room,
                           static_cast<double>(theme.px(8))};
        painter->fillRect(track, theme.color(Role::Raised));
        painter->fillRect(
            QRectF{track.topLeft(), QSizeF{track.width() * fraction.toDouble(), track.height()}},
            theme.color(Role::ClassAct));
    }
    painter->setPen(theme.color(Role::Text));
    if (width <= cell.width())
        drawNumber(*painter,
                   {cell.right(), cell.center().y() + QFontMetricsF{option.font}.capHeight() / 2},
                   text, Qt::AlignRight);
    else
        painter->drawText(
            cell, Qt::AlignVCenter | Qt::AlignRight,
            option.fontMetrics.elidedText(text, Qt::ElideRight, static_cast<int>(cell.width())));
    painter->restore();
}

void TableDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    if (index.data(PlanModel::LinkRole).toBool()) {
        option->textElideMode = Qt::ElideLeft; // of a path the end matters
        option->palette.setColor(QPalette::Text, Theme::current().color(Role::Accent));
    }
}

QSize TableDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    size.setHeight(Theme::current().rowHeight(24));
    return size;
}

TableHeader::TableHeader(QWidget* parent) : QHeaderView{Qt::Horizontal, parent}
{
    setSectionsClickable(true);
    setHighlightSections(false);
    setFixedHeight(Theme::current().rowHeight(24));
}

void TableHeader::paintSection(QPainter* painter, const QRect& rect, int section) const
{
    const Theme& theme = Theme::current();
    painter->save();
    painter->fillRect(rect, theme.color(Role::Panel));
    painter->fillRect(QRect{rect.left(), rect.bottom(), rect.width(), 1},
                      theme.color(Role::Border));
    const QFont font = theme.font(TextRole::Small);
    const QFontMetricsF metrics{font};
    const QVariant alignment = model()->headerData(section, orientation(), Qt::TextAlignmentRole);
    const bool isRight = alignment.value<Qt::Alignment>().testFlag(Qt::AlignRight);
    const bool isSorted = isSortIndicatorShown() && sortIndicatorSection() == section;
    const double side = theme.px(12);
    const QRectF cell = QRectF{rect}.adjusted(theme.px(8), 0, -theme.px(8), 0);
    const double room = cell.width() - (isSorted ? side + 2 : 0);
    const QString text = metrics.elidedText(model()->headerData(section, orientation()).toString(),
                                            Qt::ElideRight, room);
    const double width = metrics.horizontalAdvance(text);
    const double left = isRight ? cell.right() - width : cell.left();
    painter->setFont(font);
    painter->setPen(theme.color(isSorted ? Role::Text : Role::Muted));
    painter->drawText(QPointF{left, cell.center().y() + (metrics.ascent() - metrics.descent()) / 2},
                      text);
    if (isSorted) {
        painter->setRenderHint(QPainter::Antialiasing);
        painter->translate(isRight ? left - 2 - side / 2 : left + width + 2 + side / 2,
                           cell.center().y());
        if (sortIndicatorOrder() == Qt::AscendingOrder)
            painter->rotate(180);
        drawIcon(*painter, QRectF{-side / 2, -side / 2, side, side}, QStringLiteral("chev"),
                 theme.color(Role::Text));
    }
    painter->restore();
}

void applyTableLook(QTableView& table)
{
    table.setItemDelegate(new TableDelegate{&table});
    table.setHorizontalHeader(new TableHeader{&table});
    table.setShowGrid(false);
    table.setWordWrap(false);
    table.setTextElideMode(Qt::ElideMiddle);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setSelectionMode(QAbstractItemView::SingleSelection);
    table.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table.setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    table.verticalHeader()->hide();
    table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table.verticalHeader()->setDefaultSectionSize(Theme::current().rowHeight(24));
    table.horizontalHeader()->setMinimumSectionSize(Theme::current().px(40));
    table.setTabKeyNavigation(false);
}

} // namespace plimsoll::ui

// SPDX-License-Identifier: Apache-2.0
#include "ui/tables/table_look.h"

#include "ui/base/drawn_text.h"
#include "ui/base/icons.h"
#include "ui/base/widgets.h"
#include "ui/menus/mnemonics.h"
#include "ui/tables/cell_roles.h"

#include <QAction>
#include <QIcon>
#include <QPainter>
#include <QStackedWidget>
#include <QTableView>
#include <QTreeView>

namespace plimsoll::ui {

namespace {
constexpr int kNumberPad = 8;
constexpr int kTextPad = 6;    ///< as the style sheet has it
constexpr int kTextMargin = 3; ///< pixels that Qt adds around icons and texts
} // namespace

int cellPads(bool isNumber)
{
    const Theme& theme = Theme::current();
    return 2 * (isNumber ? theme.px(kNumberPad) : theme.px(kTextPad) + kTextMargin);
}

TableDelegate::TableDelegate(QObject* parent) : QStyledItemDelegate{parent} {}

void TableDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const
{
    // The style sheet takes longer to draw a cell's empty background than all of its content, and a
    // drag paints the cells in every frame. So it is used only where it draws something visible.
    const bool isPlain = (option.state & (QStyle::State_Selected | QStyle::State_HasFocus)) == 0;
    if (!isPlain) {
        QStyleOptionViewItem ground = option;
        ground.index = index;
        option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &ground, painter,
                                            option.widget);
    }
    const Theme& theme = Theme::current();
    painter->save();
    painter->setFont(option.font);
    painter->setPen(theme.color(Role::Text));
    const auto alignment = index.data(Qt::TextAlignmentRole).value<Qt::Alignment>();
    const QString text = displayText(index.data(), option.locale);
    if (alignment.testFlag(Qt::AlignRight)) {
        const int pad = theme.px(kNumberPad);
        paintNumber(*painter, QRectF{option.rect}.adjusted(pad, 0, -pad, 0), index, text, isPlain);
    } else {
        const int pad = theme.px(kTextPad) + kTextMargin;
        QRect cell = option.rect.adjusted(pad, 0, -pad, 0);
        const QVariant decoration = index.data(Qt::DecorationRole);
        if (decoration.isValid()) {
            const QSize size = option.decorationSize;
            const int top = cell.top() + (cell.height() - size.height()) / 2;
            decoration.value<QIcon>().paint(painter, QRect{{cell.left(), top}, size});
            cell.setLeft(cell.left() + size.width() + 2 * kTextMargin);
        }
        const bool isLink = index.data(LinkRole).toBool();
        if (isLink)
            painter->setPen(theme.color(Role::Accent));
        // The end of a path is the part that matters.
        const Qt::TextElideMode mode = isLink ? Qt::ElideLeft : option.textElideMode;
        paintText(*painter, cell, fitted(option.font, index, text, mode, cell.width()), isPlain);
    }
    painter->restore();
}

QString TableDelegate::fitted(const QFont& font, const QModelIndex& /*index*/, const QString& text,
                              Qt::TextElideMode mode, int width) const
{
    return fittedName(font, text, mode, width);
}

void TableDelegate::paintText(QPainter& painter, const QRect& cell, const QString& shown,
                              bool isPlain)
{
    const QFontMetricsF metrics{painter.font()};
    const int line = qRound(metrics.height());
    const int top = cell.top() + cell.height() / 2 - line / 2;
    const QPointF pos{static_cast<double>(cell.left()), top + metrics.ascent()};
    if (isPlain)
        drawNameOn(Theme::current().color(Role::Panel), painter, pos, shown);
    else
        drawName(painter, pos, shown);
}

void TableDelegate::paintNumber(QPainter& painter, const QRectF& cell, const QModelIndex& index,
                                const QString& text, bool isPlain)
{
    const Theme& theme = Theme::current();
    const QFont& font = painter.font();
    const QVariant fraction = index.data(FractionRole);
    const double room = cell.width() - theme.px(72);
    const bool hasBar = fraction.isValid() && room > theme.px(24);
    if (hasBar) {
        const QRectF track{cell.left(), cell.center().y() - theme.px(4), room,
                           static_cast<double>(theme.px(8))};
        painter.fillRect(track, theme.color(Role::Raised));
        painter.fillRect(
            QRectF{track.topLeft(), QSizeF{track.width() * fraction.toDouble(), track.height()}},
            theme.color(Role::ClassAct));
    }
    const double width = numberWidth(font, text);
    const QPointF end{cell.right(), cell.center().y() + QFontMetricsF{font}.capHeight() / 2};
    if (width > cell.width())
        painter.drawText(cell, Qt::AlignVCenter | Qt::AlignRight,
                         QFontMetricsF{font}.elidedText(text, Qt::ElideRight, cell.width()));
    else if (isPlain && (!hasBar || width < theme.px(66)))
        drawNumberOn(theme.color(Role::Panel), painter, end, text, Qt::AlignRight);
    else
        drawNumber(painter, end, text, Qt::AlignRight);
}

QSize TableDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    size.setHeight(Theme::current().rowHeight(24));
    return size;
}

QSize TreeDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    return {TableDelegate::sizeHint(option, index).width(), Theme::current().rowHeight(22)};
}

TableHeader::TableHeader(QWidget* parent, int pad) : QHeaderView{Qt::Horizontal, parent}, m_pad{pad}
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
    const QFont& font = theme.font(TextRole::Small);
    const QVariant alignment = model()->headerData(section, orientation(), Qt::TextAlignmentRole);
    const bool isRight = alignment.value<Qt::Alignment>().testFlag(Qt::AlignRight);
    const bool isSorted = isSortIndicatorShown() && sortIndicatorSection() == section;
    const double side = theme.px(12);
    const QRectF cell = QRectF{rect}.adjusted(theme.px(m_pad), 0, -theme.px(m_pad), 0);
    const double room = cell.width() - (isSorted ? side + 2 : 0);
    const QString text = fittedName(font, model()->headerData(section, orientation()).toString(),
                                    Qt::ElideRight, room);
    const double width = nameWidth(font, text);
    const double left = isRight ? cell.right() - width : cell.left();
    setText(*painter, TextRole::Small, isSorted ? Role::Text : Role::Muted);
    drawNameOn(theme.color(Role::Panel), *painter, {left, baselineIn(cell, font)}, text);
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

void applyTreeLook(QTreeView& tree, QStyledItemDelegate* delegate)
{
    const Theme& theme = Theme::current();
    tree.setItemDelegate(delegate);
    tree.setUniformRowHeights(true);
    tree.setTextElideMode(Qt::ElideMiddle);
    tree.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    tree.setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    tree.setIndentation(theme.px(14));
    auto* header = new TableHeader{&tree};
    tree.setHeader(header);
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(theme.px(40));
}

QTableView* makeTable(QAbstractItemModel* model, QWidget* parent, const QString& name,
                      const QString& sentence)
{
    auto* table = new QTableView{parent};
    model->setParent(table);
    table->setModel(model);
    applyTableLook(*table);
    table->setAccessibleName(name);
    table->setAccessibleDescription(sentence);
    return table;
}

void setColumnWidths(QHeaderView& header, int stretched,
                     std::initializer_list<std::pair<int, int>> widths)
{
    header.setSectionResizeMode(stretched, QHeaderView::Stretch);
    for (const auto& [column, width] : widths)
        header.resizeSection(column, Theme::current().px(width));
}

QWidget* makeTablePage(QTableView* table, const QString& whileEmpty)
{
    auto* pages = new QStackedWidget;
    auto* empty = new TextLabel{whileEmpty, TextRole::Body, Role::Muted, pages};
    empty->setAlignment(Qt::AlignCenter);
    pages->addWidget(empty);
    pages->addWidget(table);
    QObject::connect(table->model(), &QAbstractItemModel::modelReset, pages, [pages, table] {
        pages->setCurrentIndex(table->model()->rowCount() > 0 ? 1 : 0);
    });
    return pages;
}

void addTableAction(QTableView& table, const QString& text, const QKeySequence& key,
                    const std::function<void()>& run)
{
    auto* action = new QAction{text, &table};
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetShortcut);
    QObject::connect(action, &QAction::triggered, &table, run);
    table.addAction(action);
    addMnemonics(table.actions());
    table.setContextMenuPolicy(Qt::ActionsContextMenu);
}

} // namespace plimsoll::ui

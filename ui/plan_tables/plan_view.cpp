// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/plan_view.h"

#include "ui/base/drawn_text.h"
#include "ui/base/theme.h"
#include "ui/menus/mnemonics.h"
#include "ui/plan_tables/plan_model.h"
#include "ui/tables/column_fitter.h"
#include "ui/tables/table_look.h"

#include <QMenu>
#include <QScrollBar>

#include <algorithm>
#include <numeric>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr int kMeasuredRows = 400; ///< enough to see how wide a column's texts are
constexpr int kLeastName = 200;    ///< before scaling: the column is at least as wide
constexpr int kLeastSource = 80;
constexpr int kBar = 140;

struct OptionalColumn
{
    PlanModel::Column column;
    const char* id;
    bool isShown = false; ///< by default
};
constexpr std::array kOptional{OptionalColumn{PlanModel::CostColumn, "cost", true},
                               OptionalColumn{PlanModel::RateColumn, "rate"},
                               OptionalColumn{PlanModel::TensorColumn, "tensors", true},
                               OptionalColumn{PlanModel::OpColumn, "ops"},
                               OptionalColumn{PlanModel::LastUseColumn, "lastUse"},
                               OptionalColumn{PlanModel::PinColumn, "pin"},
                               OptionalColumn{PlanModel::SourceColumn, "source", true},
                               OptionalColumn{PlanModel::DecisionColumn, "decision"}};

/// How wide a column of figures has to be for the longest that other plans have: they are shown at
/// the same widths while the columns are held.
int longFigureWidth(const QFont& font, int column)
{
    switch (column) {
    case PlanModel::SavedColumn: return figureWidth(font, QStringLiteral("1023.9\u00a0MiB"));
    case PlanModel::CostColumn: return figureWidth(font, QStringLiteral("99.9\u00a0ms"));
    case PlanModel::TensorColumn: return textWidth(font, QStringLiteral("999 tensors"));
    default: return 0;
    }
}

/// Elides names at the front of what is inside the block, so that the block, the end of the path
/// and the number of decisions stay.
class PlanDelegate : public TreeDelegate
{
public:
    using TreeDelegate::TreeDelegate;

protected:
    [[nodiscard]] QString fitted(const QFont& font, const QModelIndex& index, const QString& text,
                                 Qt::TextElideMode mode, int width) const override
    {
        if (index.column() == PlanModel::TensorColumn) // the count is at the front
            return TreeDelegate::fitted(font, index, text, Qt::ElideRight, width);
        if (index.column() != PlanModel::ModuleColumn || nameWidth(font, text) <= width)
            return TreeDelegate::fitted(font, index, text, mode, width);
        const QString block = text.left(index.data(PlanModel::BlockLengthRole).toInt());
        const QString count = text.right(index.data(PlanModel::CountLengthRole).toInt());
        const QString inside = text.mid(block.size(), text.size() - block.size() - count.size());
        const double room = width - nameWidth(font, block) - nameWidth(font, count);
        const QString shown = fittedName(font, inside, Qt::ElideLeft, room);
        return shown.isEmpty() || nameWidth(font, shown) > room
                   ? fittedName(font, text, Qt::ElideLeft, width)
                   : block + shown + count;
    }
};

} // namespace

PlanView::PlanView(PlanModel* model, QWidget* parent) : QTreeView{parent}, m_model{model}
{
    static_assert(kColumns == PlanModel::ColumnCount);
    model->setParent(this);
    setModel(model);
    applyTreeLook(*this, new PlanDelegate{this});
    for (const OptionalColumn& row : kOptional)
        showColumn(row.column, row.isShown);
    setSortingEnabled(true);
    sortByColumn(PlanModel::SavedColumn, Qt::DescendingOrder);
    header()->setSectionsMovable(false);
    header()->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(header(), &QWidget::customContextMenuRequested, this, [this](const QPoint& pos) {
        auto* menu = new QMenu{this};
        menu->setAttribute(Qt::WA_DeleteOnClose);
        addColumnActions(*menu);
        addMnemonics(*menu);
        menu->popup(header()->mapToGlobal(pos));
    });
    connect(header(), &QHeaderView::sectionResized, this, [this](int column) {
        if (!m_isFitting)
            m_byHand.at(static_cast<std::size_t>(column)) = true;
    });
    connectOpening();
}

void PlanView::connectOpening()
{
    connect(this, &QTreeView::expanded, this, [this](const QModelIndex& index) {
        m_open.insert(index.data(PlanModel::KeyRole).toLongLong());
        fitColumns();
    });
    connect(this, &QTreeView::collapsed, this, [this](const QModelIndex& index) {
        m_open.remove(index.data(PlanModel::KeyRole).toLongLong());
    });
    connect(m_model, &QAbstractItemModel::layoutChanged, this, &PlanView::reopen);
}

/// Rows that were open when they were last shown.
void PlanView::reopen()
{
    if (m_open.isEmpty())
        return;
    for (int row = 0; row < m_model->rowCount(); ++row)
        openAgain(m_model->index(row, 0));
}

void PlanView::openAgain(const QModelIndex& index)
{
    if (!m_open.contains(index.data(PlanModel::KeyRole).toLongLong()))
        return;
    expand(index);
    for (int row = 0; row < m_model->rowCount(index); ++row)
        if (const QModelIndex inside = m_model->index(row, 0, index); m_model->hasChildren(inside))
            openAgain(inside);
}

void PlanView::setHeld(bool held)
{
    if (held == m_isHeld)
        return;
    m_isHeld = held;
    const bool hasBar = verticalScrollBar()->isVisible();
    setVerticalScrollBarPolicy(!held    ? Qt::ScrollBarAsNeeded
                               : hasBar ? Qt::ScrollBarAlwaysOn
                                        : Qt::ScrollBarAlwaysOff);
    fitColumns();
}

void PlanView::resizeEvent(QResizeEvent* event)
{
    QTreeView::resizeEvent(event);
    fitColumns();
}

void PlanView::fitColumns()
{
    if (m_isHeld || m_isFitting || !m_model->plan())
        return;
    const void* program = m_model->plan()->problem().step().get();
    if (std::exchange(m_program, program) != program)
        m_widest = {};
    Widths content{};
    for (int column = 0; column < kColumns; ++column) {
        const auto at = static_cast<std::size_t>(column);
        if (isColumnHidden(column))
            continue;
        const int shown = m_byHand.at(at) ? columnWidth(column) : contentWidth(column);
        content.at(at) = m_byHand.at(at) ? shown : std::max(shown, longFigureWidth(font(), column));
        m_widest.at(at) = std::max(m_widest.at(at), content.at(at));
    }
    // With room for all that was seen, columns stay as wide while plans change.
    const auto roomIn = [this](const Widths& widths) {
        return viewport()->width() - std::accumulate(widths.begin(), widths.end(), 0);
    };
    Widths widths = content;
    for (std::size_t at = 0; at < widths.size(); ++at)
        if (!m_byHand.at(at) && content.at(at) > 0)
            widths.at(at) = m_widest.at(at);
    if (roomIn(widths) < 0)
        widths = content;
    const Theme& theme = Theme::current();
    // The figures stay in view beside the longest names.
    const int figures = widths[PlanModel::SavedColumn] + widths[PlanModel::CostColumn];
    int& name = widths[PlanModel::ModuleColumn];
    if (!m_byHand[PlanModel::ModuleColumn])
        name = std::min(name, std::max(theme.px(kLeastName), viewport()->width() - figures));
    // A source is elided at its front: the line stays.
    int& source = widths[PlanModel::SourceColumn];
    if (source > 0 && !m_byHand[PlanModel::SourceColumn])
        source =
            std::clamp(source + roomIn(widths), std::min(source, theme.px(kLeastSource)), source);
    if (!m_byHand[PlanModel::ModuleColumn]) // so that no column is moved out of view
        name = std::max(name + std::min(roomIn(widths), 0), std::min(name, theme.px(kLeastName)));
    if (!m_byHand[PlanModel::SavedColumn])
        widths[PlanModel::SavedColumn] += std::clamp(roomIn(widths), 0, theme.px(kBar));
    if (!m_byHand[PlanModel::ModuleColumn])
        name += std::max(roomIn(widths), 0);
    m_isFitting = true;
    for (int column = 0; column < kColumns; ++column)
        if (!isColumnHidden(column))
            setColumnWidth(column, widths.at(static_cast<std::size_t>(column)));
    m_isFitting = false;
}

/// Of the head and the rows that are shown or could be scrolled to.
int PlanView::contentWidth(int column) const
{
    int width = headWidth(*header(), column);
    QModelIndex index = m_model->index(0, column);
    for (int row = 0; row < kMeasuredRows && index.isValid(); ++row, index = indexBelow(index)) {
        int cell = cellWidth(font(), index);
        if (column == PlanModel::ModuleColumn)
            for (QModelIndex up = index; up.isValid(); up = up.parent())
                cell += indentation();
        width = std::max(width, cell);
    }
    return width;
}

QStringList PlanView::optionalColumns() const
{
    QStringList ids;
    for (const OptionalColumn& row : kOptional)
        if (!isColumnHidden(row.column))
            ids << QString::fromLatin1(row.id);
    return ids;
}

void PlanView::setOptionalColumns(const QStringList& ids)
{
    for (const OptionalColumn& row : kOptional)
        showColumn(row.column, ids.contains(QString::fromLatin1(row.id)));
    fitColumns();
}

/// Without taking that for a width given by hand.
void PlanView::showColumn(int column, bool isShown)
{
    m_isFitting = true;
    setColumnHidden(column, !isShown);
    m_isFitting = false;
}

void PlanView::addColumnActions(QMenu& menu)
{
    for (const OptionalColumn& row : kOptional) {
        const QString head = m_model->headerData(row.column, Qt::Horizontal).toString();
        QAction* action = menu.addAction(head, this, [this, column = row.column](bool isShown) {
            showColumn(column, isShown);
            fitColumns();
            Q_EMIT columnsChosen();
        });
        action->setCheckable(true);
        action->setChecked(!isColumnHidden(row.column));
    }
}

QString PlanView::currentText() const
{
    QStringList cells;
    for (int column = 0; column < kColumns; ++column)
        if (currentIndex().isValid() && !isColumnHidden(column))
            cells << currentIndex().siblingAtColumn(column).data().toString();
    return cells.join(u'\t');
}

} // namespace plimsoll::ui

// SPDX-License-Identifier: Apache-2.0
#include "ui/manual/manual_list.h"

#include "ui/base/theme.h"
#include "ui/manual/manual_search.h"

#include <QFontMetrics>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>

namespace plimsoll::ui {

namespace {

constexpr int kMargin = 10;
constexpr int kIndent = 14;
constexpr int kSpace = 5;
constexpr int kNoteLines = 2;

/// A title with the matching text below it.
class ManualDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        const Theme& theme = Theme::current();
        const QString note = index.data(Qt::AccessibleDescriptionRole).toString();
        const int level = index.data(ManualList::LevelRole).toInt();
        painter->save();
        if (option.state.testFlag(QStyle::State_Selected)) {
            painter->fillRect(option.rect, theme.color(Role::Sel));
            if (option.state.testFlag(QStyle::State_HasFocus))
                painter->fillRect(
                    QRect{option.rect.topLeft(), QSize{theme.px(2), option.rect.height()}},
                    theme.color(Role::Accent));
        }
        QRect place = option.rect.adjusted(theme.px(kMargin + level * kIndent), theme.px(kSpace),
                                           -theme.px(kMargin), -theme.px(kSpace));
        const QFont& font = theme.font(note.isEmpty() ? TextRole::Body : TextRole::Strong);
        const QFontMetrics metrics{font};
        painter->setFont(font);
        painter->setPen(theme.color(level == 0 ? Role::Text : Role::Muted));
        painter->drawText(
            place, Qt::AlignLeft | Qt::AlignTop,
            metrics.elidedText(index.data().toString(), Qt::ElideRight, place.width()));
        place.setTop(place.top() + metrics.lineSpacing());
        painter->setFont(theme.font(TextRole::Small));
        painter->setPen(theme.color(Role::Muted));
        painter->drawText(place, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, note);
        painter->restore();
    }

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& /*option*/,
                                 const QModelIndex& index) const override
    {
        const Theme& theme = Theme::current();
        const auto line = [&theme](TextRole role) {
            return QFontMetrics{theme.font(role)}.lineSpacing();
        };
        const bool hasNote = !index.data(Qt::AccessibleDescriptionRole).toString().isEmpty();
        return {0, line(TextRole::Strong) + theme.px(2 * kSpace)
                       + (hasNote ? kNoteLines * line(TextRole::Small) : 0)};
    }
};

QStandardItem* makeItem(const QString& target, const QString& title, int level,
                        const QString& note = {})
{
    auto* item = new QStandardItem{title};
    item->setEditable(false);
    item->setData(target, ManualList::TargetRole);
    item->setData(level, ManualList::LevelRole);
    item->setAccessibleDescription(note);
    return item;
}

} // namespace

ManualList::ManualList(std::vector<ManualPage> pages, QWidget* parent)
    : QListView{parent}, m_pages{std::move(pages)}, m_model{new QStandardItemModel{0, 1, this}}
{
    setModel(m_model);
    setItemDelegate(new ManualDelegate{this});
    setAccessibleName(tr("Contents"));
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(this, &QListView::clicked, this, &ManualList::choose);
    connect(this, &QListView::activated, this, &ManualList::choose);
    listContents();
}

void ManualList::choose(const QModelIndex& row)
{
    if (row.isValid())
        Q_EMIT chosen(row.data(TargetRole).toString());
}

void ManualList::goTo(const QString& target)
{
    const QString path = target.section(u'#', 0, 0);
    if (path != std::exchange(m_page, path) && !m_isSearching)
        listContents();
    if (!selectRow(target) && !m_isSearching)
        selectRow(path);
}

void ManualList::search(const QStringList& words)
{
    if (!words.isEmpty())
        listHits(words);
    else if (m_isSearching)
        listContents();
}

void ManualList::listContents()
{
    m_isSearching = false;
    QList<QStandardItem*> rows;
    for (const ManualPage& page : m_pages) {
        const bool isShown = page.path == m_page;
        if (!page.isChapter() && !isShown)
            continue;
        rows << makeItem(page.path, page.title(), 0);
        for (const ManualSection& section : page.sections)
            if (isShown && section.level == 2)
                rows << makeItem(page.path + u'#' + section.anchor, section.title, 1);
    }
    m_model->removeRows(0, m_model->rowCount());
    m_model->invisibleRootItem()->appendRows(rows);
}

void ManualList::listHits(const QStringList& words)
{
    m_isSearching = true;
    m_model->removeRows(0, m_model->rowCount());
    for (const ManualHit& hit : searchManual(m_pages, words))
        m_model->appendRow(makeItem(
            hit.target, hit.page.isEmpty() ? hit.title : tr("%1 (%2)").arg(hit.title, hit.page), 0,
            hit.excerpt));
    setCurrentIndex(m_model->index(0, 0));
}

bool ManualList::selectRow(const QString& target)
{
    const QModelIndexList rows =
        m_model->match(m_model->index(0, 0), TargetRole, target, 1, Qt::MatchExactly);
    if (rows.isEmpty())
        return false;
    setCurrentIndex(rows.front());
    scrollTo(rows.front());
    return true;
}

} // namespace plimsoll::ui

// SPDX-License-Identifier: Apache-2.0
#include "ui/manual/manual_delegate.h"

#include "ui/base/theme.h"
#include "ui/manual/manual_model.h"

#include <QFontMetrics>
#include <QPainter>

namespace plimsoll::ui {

namespace {

constexpr int kMargin = 10;
constexpr int kIndent = 14;
constexpr int kSpace = 5;
constexpr int kNoteLines = 2;

int noteHeight()
{
    return kNoteLines * QFontMetrics{Theme::current().font(TextRole::Small)}.lineSpacing();
}

} // namespace

void ManualDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) const
{
    const Theme& theme = Theme::current();
    const QString note = index.data(ManualModel::NoteRole).toString();
    const int level = index.data(ManualModel::LevelRole).toInt();
    painter->save();
    if ((option.state & QStyle::State_Selected) != 0)
        painter->fillRect(option.rect, theme.color(Role::Sel));
    if ((option.state & QStyle::State_Selected) != 0
        && (option.state & QStyle::State_HasFocus) != 0)
        painter->fillRect(QRect{option.rect.topLeft(), QSize{theme.px(2), option.rect.height()}},
                          theme.color(Role::Accent));
    QRect place = option.rect.adjusted(theme.px(kMargin + level * kIndent), theme.px(kSpace),
                                       -theme.px(kMargin), -theme.px(kSpace));
    const QFont& font = theme.font(note.isEmpty() ? TextRole::Body : TextRole::Strong);
    const QFontMetrics metrics{font};
    const auto title = index.data(Qt::DisplayRole).toString();
    painter->setFont(font);
    painter->setPen(theme.color(level == 0 ? Role::Text : Role::Muted));
    painter->drawText(place, Qt::AlignLeft | Qt::AlignTop,
                      metrics.elidedText(title, Qt::ElideRight, place.width()));
    place.setTop(place.top() + metrics.lineSpacing());
    if (!note.isEmpty()) {
        painter->setFont(theme.font(TextRole::Small));
        painter->setPen(theme.color(Role::Muted));
        painter->drawText(place, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, note);
    }
    painter->restore();
}

QSize ManualDelegate::sizeHint(const QStyleOptionViewItem& /*option*/,
                               const QModelIndex& index) const
{
    const Theme& theme = Theme::current();
    const bool hasNote = !index.data(ManualModel::NoteRole).toString().isEmpty();
    const int height = QFontMetrics{theme.font(TextRole::Strong)}.lineSpacing()
                       + theme.px(2 * kSpace) + (hasNote ? noteHeight() : 0);
    return {0, height};
}

} // namespace plimsoll::ui

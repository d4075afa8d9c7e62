// SPDX-License-Identifier: Apache-2.0
#include "ui/compare_page/side_style.h"

#include "ui/base/drawn_text.h"
#include "ui/base/widgets.h"

#include <array>

namespace plimsoll::ui {

namespace {

constexpr std::array kSideRoles{Role::Accent,          Role::Text,           Role::PlannerRotor,
                                Role::PlannerRemat,    Role::PlannerPofo,    Role::PlannerChen,
                                Role::PlannerCapuchin, Role::DecisionOffload};
constexpr double kBadge = 20;

} // namespace

QString sideLetter(std::size_t side)
{
    return QString{QChar{static_cast<char16_t>(u'A' + side)}};
}

Role sideRole(std::size_t side)
{
    return kSideRoles.at(side % kSideRoles.size());
}

QList<qreal> sideDashes(std::size_t side)
{
    if (side == 0)
        return {4, 2.5};
    return side < kSideRoles.size() ? QList<qreal>{} : QList<qreal>{1.5, 1.5};
}

SideBadge::SideBadge(std::size_t side, QWidget* parent) : QWidget{parent}, m_side{side}
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(sideLetter(side));
}

QSize SideBadge::sizeHint() const
{
    const int side = Theme::current().px(kBadge);
    return {side, side};
}

void SideBadge::paintEvent(QPaintEvent* /*event*/)
{
    const Theme& theme = Theme::current();
    const QColor ground = theme.color(sideRole(m_side));
    QPainter painter{this};
    setShape(painter, Qt::NoPen, ground);
    painter.drawRoundedRect(rect(), 3, 3);
    setText(painter, TextRole::Strong, Role::Text);
    painter.setPen(labelColorOn(ground));
    painter.drawText(rect(), Qt::AlignCenter, sideLetter(m_side));
}

} // namespace plimsoll::ui

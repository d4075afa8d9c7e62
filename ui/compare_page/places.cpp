// SPDX-License-Identifier: Apache-2.0
#include "ui/compare_page/places.h"

#include "ui/base/drawn_text.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/compare_page/side_style.h"

#include <QPainter>

namespace plimsoll::ui {

namespace {

constexpr double kPlaceWidth = 420;
constexpr double kPlaceHeight = 96;
constexpr double kPlaceLeft = 60;

} // namespace

ProfilePlace::ProfilePlace(std::size_t side, QWidget* parent)
    : QAbstractButton{parent}, m_side{side}
{
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    setAttribute(Qt::WA_Hover);
    setProfile({});
}

void ProfilePlace::setProfile(const QString& name)
{
    m_name = name;
    setEnabled(name.isEmpty());
    setAccessibleName(name.isEmpty() ? tr("Choose profile %1").arg(sideLetter(m_side))
                                     : sideLetter(m_side) + u' ' + name);
    update();
}

QSize ProfilePlace::sizeHint() const
{
    const Theme& theme = Theme::current();
    return {theme.px(kPlaceWidth), theme.px(kPlaceHeight)};
}

void ProfilePlace::paintEvent(QPaintEvent* /*event*/)
{
    const Theme& theme = Theme::current();
    const bool isHot = isEnabled() && (underMouse() || isDown());
    QPainter painter{this};
    QPen pen{theme.color(isHot ? Role::Accent : Role::BorderStrong), isHot ? 2.0 : 1.0};
    if (m_name.isEmpty() && !isHot)
        pen.setDashPattern({4, 3});
    setShape(painter, pen, theme.color(Role::Raised));
    painter.drawRoundedRect(QRectF{rect()}.adjusted(1, 1, -1, -1), theme.px(6), theme.px(6));
    const double badge = theme.px(20);
    const QRectF square{double(theme.px(20)), (height() - badge) / 2, badge, badge};
    setShape(painter, Qt::NoPen, theme.color(sideRole(m_side)));
    painter.drawRoundedRect(square, 3, 3);
    painter.setPen(labelColorOn(theme.color(sideRole(m_side))));
    painter.setFont(theme.font(TextRole::Strong));
    painter.drawText(square, Qt::AlignCenter, sideLetter(m_side));
    const double left = theme.px(kPlaceLeft);
    const double room = width() - left - theme.px(12);
    const double line = theme.px(20);
    const auto write = [&](const QString& text, double top, TextRole font, Role color) {
        ui::setText(painter, font, color);
        drawName(painter, {left, baselineIn({left, top, room, line}, theme.font(font))},
                 fittedName(theme.font(font), text, Qt::ElideMiddle, room));
    };
    const double top = height() / 2.0 - line;
    if (m_name.isEmpty()) {
        write(tr("Drop a profile here"), top, TextRole::Strong, Role::Text);
        write(tr("or click to choose one that is open, or files"), top + line, TextRole::Body,
              Role::Muted);
    } else {
        write(m_name, height() / 2.0 - line / 2, TextRole::Strong, Role::Text);
    }
    if (m_hasRing)
        drawFocusRing(painter, QRectF{rect()}.adjusted(3, 3, -3, -3));
}

bool ProfilePlace::event(QEvent* event)
{
    if (followFocus(*event, m_hasRing))
        update();
    return QAbstractButton::event(event);
}

ProfilePlaces::ProfilePlaces(QWidget* parent) : QWidget{parent}
{
    auto* column = makeColumn(this, 16, {24, 24, 24, 24});
    column->addStretch(1);
    for (std::size_t side = 0; side < m_places.size(); ++side) {
        m_places[side] = new ProfilePlace{side, this};
        column->addWidget(m_places[side], 0, Qt::AlignHCenter);
        connect(m_places[side], &QAbstractButton::clicked, this, &ProfilePlaces::profileWanted);
    }
    column->addStretch(1);
    setFocusProxy(m_places.back());
}

void ProfilePlaces::setProfiles(const workspace::ComparedProfiles& profiles)
{
    for (std::size_t side = 0; side < m_places.size(); ++side)
        m_places[side]->setProfile(side < profiles.size() ? fileText(profiles[side].name)
                                                          : QString{});
}

} // namespace plimsoll::ui

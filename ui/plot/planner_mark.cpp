// SPDX-License-Identifier: Apache-2.0
#include "ui/plot/planner_mark.h"

#include "ui/base/theme.h"
#include "ui/plot/paths.h"

#include <QPainter>

#include <algorithm>
#include <array>

namespace plimsoll::ui {

namespace {

constexpr std::array kLooks{
    PlannerLook{"auto", Role::PlannerAuto, 0},         PlannerLook{"rotor", Role::PlannerRotor, 1},
    PlannerLook{"remat", Role::PlannerRemat, 2},       PlannerLook{"chen", Role::PlannerChen, 4},
    PlannerLook{"capuchin", Role::PlannerCapuchin, 5}, PlannerLook{"", Role::PlannerPofo, 3},
};
constexpr std::size_t kCross = 4; ///< a marker that is lines only

} // namespace

std::span<const PlannerLook> plannerLooks()
{
    return kLooks;
}

const PlannerLook& plannerLookOf(std::string_view planner)
{
    const auto look = std::ranges::find(kLooks, planner, &PlannerLook::planner);
    return look == kLooks.end() ? kLooks.back() : *look;
}

QString plannerLookName(const PlannerLook& look)
{
    return look.planner.empty() ? QStringLiteral("others")
                                : QString::fromLatin1(look.planner.data(),
                                                      static_cast<qsizetype>(look.planner.size()));
}

void paintPlannerMark(QPainter& painter, const PlannerLook& look, QPointF center)
{
    const QColor ink = Theme::current().color(look.ink);
    painter.setPen(look.marker == kCross ? QPen{ink, 1.5} : QPen{Qt::NoPen});
    painter.setBrush(ink);
    painter.drawPath(markerPath(look.marker, center, kPlannerMarkRadius));
}

} // namespace plimsoll::ui

// SPDX-License-Identifier: Apache-2.0
#include "ui/base/tokens.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr std::array<Token, kRoleCount> kTokens{
    Token{Role::Window, RoleKind::Ground, "window", 0xffeef0f3, 0xff111317},
    Token{Role::Panel, RoleKind::Ground, "panel", 0xffffffff, 0xff1b1e24},
    Token{Role::Raised, RoleKind::Ground, "raised", 0xfff6f7f9, 0xff23272f},
    Token{Role::Plot, RoleKind::Ground, "plot", 0xfffbfbfc, 0xff16191e},
    Token{Role::Border, RoleKind::Decoration, "border", 0xffd9dde4, 0xff2e333c},
    Token{Role::BorderStrong, RoleKind::Graphic, "borderStrong", 0xff7f8998, 0xff6f7887},
    Token{Role::Grid, RoleKind::Decoration, "grid", 0xffe9ecf0, 0xff242932},
    Token{Role::Text, RoleKind::Text, "text", 0xff1a1e26, 0xffe7e9ed},
    Token{Role::Muted, RoleKind::Text, "muted", 0xff5a6372, 0xffa3abb8},
    Token{Role::Faint, RoleKind::Text, "faint", 0xff636c7a, 0xff8d96a5},
    Token{Role::Accent, RoleKind::Text, "accent", 0xff4353d1, 0xff8e9bff},
    Token{Role::OnAccent, RoleKind::Decoration, "onAccent", 0xffffffff, 0xff10131a},
    Token{Role::AccentBg, RoleKind::Ground, "accentBg", 0xffe8eafb, 0xff2a2f52},
    Token{Role::Sel, RoleKind::Ground, "sel", 0xffe4e7fb, 0xff2b3158},
    Token{Role::Danger, RoleKind::Text, "danger", 0xffc9252d, 0xffff6b6b},
    Token{Role::DangerBg, RoleKind::Ground, "dangerBg", 0xfffdecec, 0xff3a1f22},
    Token{Role::Ok, RoleKind::Text, "ok", 0xff167443, 0xff4cc38a},
    Token{Role::OkBg, RoleKind::Ground, "okBg", 0xffe6f4ec, 0xff16322a},
    Token{Role::Warn, RoleKind::Text, "warn", 0xff9a5b00, 0xfff0b45b},
    Token{Role::WarnBg, RoleKind::Ground, "warnBg", 0xfffdf3e1, 0xff38290f},
    Token{Role::Line, RoleKind::Graphic, "line", 0xff10131a, 0xfff5f7fa},
    Token{Role::Halo, RoleKind::Decoration, "halo", 0xffffffff, 0xff0b0d10},
    Token{Role::ClassParam, RoleKind::Class, "class.param", 0xff013777, 0xff1f81d7},
    Token{Role::ClassOptim, RoleKind::Class, "class.optim", 0xff7f5c85, 0xffb8a4fb},
    Token{Role::ClassBuffer, RoleKind::Class, "class.buffer", 0xff8e8a95, 0xffc4c5cd},
    Token{Role::ClassGrad, RoleKind::Class, "class.grad", 0xff955217, 0xffd78348},
    Token{Role::ClassInput, RoleKind::Class, "class.input", 0xff4b946d, 0xff70b28b},
    Token{Role::ClassAct, RoleKind::Class, "class.act", 0xff2791cd, 0xff4c9bb2},
    Token{Role::ClassTemp, RoleKind::Class, "class.temp", 0xffae880e, 0xfffae09f},
    Token{Role::ClassWork, RoleKind::Class, "class.work", 0xff89314c, 0xffd2548f},
    Token{Role::DecisionKeep, RoleKind::Decision, "decision.keep", 0xff8c8c8c, 0xff868686},
    Token{Role::DecisionRecompute, RoleKind::Decision, "decision.recompute", 0xff6279e6,
          0xff6985ef},
    Token{Role::DecisionOffload, RoleKind::Decision, "decision.offload", 0xffcd7217, 0xffef8530},
    Token{Role::DecisionChunk, RoleKind::Decision, "decision.chunk", 0xff73397d, 0xffe7a8d9},
    Token{Role::DecisionShard, RoleKind::Decision, "decision.shard", 0xff007152, 0xff75e6bb},
    Token{Role::PlannerAuto, RoleKind::Planner, "planner.auto", 0xff1b1b1b, 0xffecf4ff},
    Token{Role::PlannerRotor, RoleKind::Planner, "planner.rotor", 0xff1c84de, 0xff7ea2fe},
    Token{Role::PlannerRemat, RoleKind::Planner, "planner.remat", 0xffc86c15, 0xfff3af33},
    Token{Role::PlannerPofo, RoleKind::Planner, "planner.pofo", 0xff256f55, 0xff6fddb5},
    Token{Role::PlannerChen, RoleKind::Planner, "planner.chen", 0xff842980, 0xffce609b},
    Token{Role::PlannerCapuchin, RoleKind::Planner, "planner.capuchin", 0xff8c8c8c, 0xff8e8762},
};

constexpr QRgb kWhite = 0xffffffff;
constexpr QRgb kInk = 0xff10131a;

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& color)
{
    const QColor rgb = color.toRgb();
    return 0.2126 * linear(static_cast<double>(rgb.redF()))
           + 0.7152 * linear(static_cast<double>(rgb.greenF()))
           + 0.0722 * linear(static_cast<double>(rgb.blueF()));
}

} // namespace

std::span<const Token> tokens()
{
    return kTokens;
}

QColor tokenColor(Role role, bool dark)
{
    const Token& token = kTokens.at(static_cast<std::size_t>(role));
    return QColor::fromRgba(dark ? token.dark : token.light);
}

Role classRole(std::size_t place)
{
    return place < kClassRoles
               ? static_cast<Role>(static_cast<std::size_t>(Role::ClassParam) + place)
               : Role::Border;
}

double contrast(const QColor& a, const QColor& b)
{
    const double one = luminance(a) + 0.05;
    const double two = luminance(b) + 0.05;
    return std::max(one, two) / std::min(one, two);
}

QColor labelColorOn(const QColor& ground)
{
    const QColor white = QColor::fromRgb(kWhite);
    const QColor ink = QColor::fromRgb(kInk);
    return contrast(white, ground) > contrast(ink, ground) ? white : ink;
}

} // namespace plimsoll::ui

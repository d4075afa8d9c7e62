// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>

#include <cstdint>
#include <span>

namespace plimsoll::ui {

/// The purpose of a colour. These are the only colours of the program.
enum class Role : std::uint8_t {
    Window,
    Panel,
    Raised,
    Plot,
    Border,
    BorderStrong,
    Grid,
    Text,
    Muted,
    Faint,
    Accent,
    OnAccent,
    AccentBg,
    Sel,
    Danger,
    DangerBg,
    Ok,
    OkBg,
    Warn,
    WarnBg,
    Line,
    Halo,
    ClassParam,
    ClassOptim,
    ClassBuffer,
    ClassGrad,
    ClassInput,
    ClassAct,
    ClassTemp,
    ClassWork,
    DecisionKeep,
    DecisionRecompute,
    DecisionOffload,
    DecisionChunk,
    DecisionShard,
    PlannerAuto,
    PlannerRotor,
    PlannerRemat,
    PlannerPofo,
    PlannerChen,
    PlannerCapuchin,
};
inline constexpr std::size_t kRoleCount = 41;
inline constexpr std::size_t kClassRoles = 8;

/// What a role must contrast with (checked by tests and the settings dialog).
enum class RoleKind : std::uint8_t { Ground, Text, Graphic, Class, Decision, Planner, Decoration };

struct Token
{
    Role role;
    RoleKind kind;
    const char* name; ///< as in the style sheet template: "borderStrong"
    QRgb light;
    QRgb dark;
};

/// Every token, in the order of Role.
[[nodiscard]] std::span<const Token> tokens();
/// The colour of a role in one of the two themes.
[[nodiscard]] QColor tokenColor(Role role, bool dark);
/// Role of the memory class with this place in the stack, 0 = parameters … 7 = workspaces; beyond
/// them a pale one, timeline::kPaleInk.
[[nodiscard]] Role classRole(std::size_t place);

/// WCAG contrast ratio, 1 … 21.
[[nodiscard]] double contrast(const QColor& a, const QColor& b);
/// White or ink, whichever contrasts more with the ground.
[[nodiscard]] QColor labelColorOn(const QColor& ground);

} // namespace plimsoll::ui

// SPDX-License-Identifier: Apache-2.0
#include "ui/base/tokens.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

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

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

Triple linearRgb(const QColor& color)
{
    const QColor rgb = color.toRgb();
    return {linear(static_cast<double>(rgb.redF())), linear(static_cast<double>(rgb.greenF())),
            linear(static_cast<double>(rgb.blueF()))};
}

Triple multiplied(const Matrix& matrix, const Triple& vector)
{
    Triple result{};
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            result[row] += matrix[row][column] * vector[column];
    return result;
}

// Machado, Oliveira, Fernandes 2009, severity 1.0, on linear RGB.
constexpr Matrix kProtan{{{0.152286, 1.052583, -0.204868},
                          {0.114503, 0.786281, 0.099216},
                          {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kDeutan{{{0.367322, 0.860646, -0.227968},
                          {0.280085, 0.672501, 0.047413},
                          {-0.011820, 0.042940, 0.968881}}};
// sRGB to XYZ, D65.
constexpr Matrix kXyz{{{0.4124564, 0.3575761, 0.1804375},
                       {0.2126729, 0.7151522, 0.0721750},
                       {0.0193339, 0.1191920, 0.9503041}}};
constexpr Triple kD65{0.95047, 1.0, 1.08883};

double labCurve(double t)
{
    constexpr double kDelta = 6.0 / 29.0;
    return t > kDelta * kDelta * kDelta ? std::cbrt(t) : t / (3 * kDelta * kDelta) + 4.0 / 29.0;
}

/// CIELAB of a colour as this vision sees it.
Triple lab(const QColor& color, Vision vision)
{
    Triple rgb = linearRgb(color);
    if (vision != Vision::Normal)
        rgb = multiplied(vision == Vision::Protan ? kProtan : kDeutan, rgb);
    for (double& channel : rgb)
        channel = std::clamp(channel, 0.0, 1.0);
    const Triple xyz = multiplied(kXyz, rgb);
    const double x = labCurve(xyz[0] / kD65[0]);
    const double y = labCurve(xyz[1] / kD65[1]);
    const double z = labCurve(xyz[2] / kD65[2]);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

constexpr double kDegree = std::numbers::pi / 180.0;

double hueDegrees(double a, double b)
{
    if (a == 0 && b == 0)
        return 0;
    const double hue = std::atan2(b, a) / kDegree;
    return hue < 0 ? hue + 360 : hue;
}

/// Mean of two hues across the shorter arc, and their signed difference.
struct Hues
{
    double difference;
    double mean;
};

Hues compareHues(double h1, double h2, bool grey)
{
    if (grey)
        return {0, h1 + h2};
    double difference = h2 - h1;
    double mean = (h1 + h2) / 2;
    if (std::abs(difference) > 180) {
        difference += difference > 0 ? -360 : 360;
        mean += h1 + h2 < 360 ? 180 : -180;
    }
    return {difference, mean};
}

double ciede2000(const Triple& one, const Triple& two)
{
    const auto seventh = [](double value) {
        const double power = std::pow(value, 7);
        return std::sqrt(power / (power + std::pow(25.0, 7)));
    };
    const double meanChroma = (std::hypot(one[1], one[2]) + std::hypot(two[1], two[2])) / 2;
    const double stretch = 1 + 0.5 * (1 - seventh(meanChroma));
    const double a1 = one[1] * stretch;
    const double a2 = two[1] * stretch;
    const double c1 = std::hypot(a1, one[2]);
    const double c2 = std::hypot(a2, two[2]);
    const Hues hue = compareHues(hueDegrees(a1, one[2]), hueDegrees(a2, two[2]), c1 * c2 == 0);
    const double lightness = (one[0] + two[0]) / 2;
    const double chroma = (c1 + c2) / 2;
    const auto cosine = [&](double factor, double offset) {
        return std::cos((factor * hue.mean + offset) * kDegree);
    };
    const double t = 1 - 0.17 * cosine(1, -30) + 0.24 * cosine(2, 0) + 0.32 * cosine(3, 6)
                     - 0.20 * cosine(4, -63);
    const double offCentre = (lightness - 50) * (lightness - 50);
    const double l = (two[0] - one[0]) / (1 + 0.015 * offCentre / std::sqrt(20 + offCentre));
    const double c = (c2 - c1) / (1 + 0.045 * chroma);
    const double h =
        2 * std::sqrt(c1 * c2) * std::sin(hue.difference / 2 * kDegree) / (1 + 0.015 * chroma * t);
    const double blue = (hue.mean - 275) / 25;
    const double rotation = -2 * seventh(chroma) * std::sin(60 * std::exp(-blue * blue) * kDegree);
    return std::sqrt(l * l + c * c + h * h + rotation * c * h);
}

double luminance(const QColor& color)
{
    const Triple rgb = linearRgb(color);
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
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
    return static_cast<Role>(static_cast<std::size_t>(Role::ClassParam)
                             + std::min(place, kClassRoles - 1));
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

double colorDistance(const QColor& a, const QColor& b, Vision vision)
{
    return ciede2000(lab(a, vision), lab(b, vision));
}

} // namespace plimsoll::ui

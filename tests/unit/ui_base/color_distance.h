// SPDX-License-Identifier: Apache-2.0
// How far apart people see two colours.
#pragma once

#include <QColor>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace plimsoll::tests {

enum class Vision : std::uint8_t { Normal, Protan, Deutan };

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

inline double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

inline Triple linearRgb(const QColor& color)
{
    const QColor rgb = color.toRgb();
    return {linear(static_cast<double>(rgb.redF())), linear(static_cast<double>(rgb.greenF())),
            linear(static_cast<double>(rgb.blueF()))};
}

inline Triple multiplied(const Matrix& matrix, const Triple& vector)
{
    Triple result{};
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            result[row] += matrix[row][column] * vector[column];
    return result;
}

// Machado, Oliveira, Fernandes 2009, severity 1.0, on linear RGB.
inline constexpr Matrix kProtan{{{0.152286, 1.052583, -0.204868},
                                 {0.114503, 0.786281, 0.099216},
                                 {-0.003882, -0.048116, 1.051998}}};
inline constexpr Matrix kDeutan{{{0.367322, 0.860646, -0.227968},
                                 {0.280085, 0.672501, 0.047413},
                                 {-0.011820, 0.042940, 0.968881}}};
// sRGB to XYZ, D65.
inline constexpr Matrix kXyz{{{0.4124564, 0.3575761, 0.1804375},
                              {0.2126729, 0.7151522, 0.0721750},
                              {0.0193339, 0.1191920, 0.9503041}}};
inline constexpr Triple kD65{0.95047, 1.0, 1.08883};

inline double labCurve(double t)
{
    constexpr double kDelta = 6.0 / 29.0;
    return t > kDelta * kDelta * kDelta ? std::cbrt(t) : t / (3 * kDelta * kDelta) + 4.0 / 29.0;
}

/// CIELAB of a colour as this vision sees it.
inline Triple lab(const QColor& color, Vision vision)
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

inline constexpr double kDegree = std::numbers::pi / 180.0;

inline double hueDegrees(double a, double b)
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

inline Hues compareHues(double h1, double h2, bool grey)
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

inline double ciede2000(const Triple& one, const Triple& two)
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

/// CIEDE2000 distance as seen with full, red-blind or green-blind vision (Machado 2009, severity
/// 1).
inline double colorDistance(const QColor& a, const QColor& b, Vision vision)
{
    return ciede2000(lab(a, vision), lab(b, vision));
}

} // namespace plimsoll::tests

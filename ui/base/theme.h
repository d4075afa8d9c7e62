// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/tokens.h"

#include <QFont>
#include <QObject>

#include <array>

namespace plimsoll::ui {

enum class ThemeChoice : std::uint8_t { System, Light, Dark };
enum class PatternStrength : std::uint8_t { Off, Normal, Strong };
/// Type sizes; each scales with body / 12.
enum class TextRole : std::uint8_t {
    Small,       ///< 11 / 400: ticks, tags, table heads, status bar, legends
    SmallMedium, ///< 11 / 500
    SmallStrong, ///< 11 / 600
    Body,        ///< 12 / 400
    Strong,      ///< 12 / 600
    Lead,        ///< 13 / 600
    Head,        ///< 14 / 600
    Figure,      ///< 20 / 600
    Name,        ///< 24 / 600
    Code,        ///< fixed pitch, one px smaller than body
};
inline constexpr std::size_t kTextRoles = static_cast<std::size_t>(TextRole::Code) + 1;

/// The look of the running program: colours, fonts, scale. One object, created after QApplication
/// and before any widget; everything that paints asks Theme::current() at paint time, so switching
/// needs only a repaint.
class Theme : public QObject
{
    Q_OBJECT

public:
    explicit Theme(QObject* parent = nullptr);
    ~Theme() override;

    /// Requires an existing Theme.
    [[nodiscard]] static Theme& current();

    [[nodiscard]] bool isDark() const { return m_dark; }
    [[nodiscard]] QColor color(Role role) const { return tokenColor(role, m_dark); }
    [[nodiscard]] QColor color(Role role, double alpha) const;
    [[nodiscard]] const QFont& font(TextRole role) const
    {
        return m_fonts[static_cast<std::size_t>(role)];
    }
    /// body / 12 including the user's scale; 1 on a plain system.
    [[nodiscard]] double scale() const { return m_bodyPixels / 12.0; }
    /// A length of the design in logical pixels of this screen, rounded.
    [[nodiscard]] int px(double designPixels) const;
    /// Height of a row of body text: the design's, or more if the font needs it.
    [[nodiscard]] int rowHeight(double designPixels) const;
    [[nodiscard]] PatternStrength patterns() const { return m_patterns; }
    [[nodiscard]] ThemeChoice choice() const { return m_choice; }
    [[nodiscard]] int scalePercent() const { return m_scalePercent; }

    void setChoice(ThemeChoice choice);
    /// 75 … 300.
    void setScalePercent(int percent);
    void setPatterns(PatternStrength patterns);
    /// How much smaller everything is drawn than the system requests, in addition to the user's
    /// scale; greater than 0.
    void setSystemFactor(double factor);

Q_SIGNALS:
    /// Colours, fonts, scale or patterns changed; palette, style sheet and layouts are already set.
    void changed();

private:
    void apply();
    void applyScale();
    [[nodiscard]] QFont makeFont(TextRole role) const;

    ThemeChoice m_choice = ThemeChoice::System;
    PatternStrength m_patterns = PatternStrength::Normal;
    int m_scalePercent = 100;
    double m_bodyPixels = 12.0;
    bool m_systemDark = false;
    bool m_dark = false;
    QString m_family;
    double m_systemPixels = 12.0;
    double m_systemFactor = 1.0;
    /// Cached: a new font would look up its engine again for each text.
    std::array<QFont, kTextRoles> m_fonts;
};

/// The style sheet template with @names@ replaced by tokens and @n@ by scaled lengths.
[[nodiscard]] QString filledStyleSheet(const QString& sheetTemplate, const Theme& theme);

} // namespace plimsoll::ui

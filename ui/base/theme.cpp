// SPDX-License-Identifier: Apache-2.0
#include "ui/base/theme.h"

#include "ui/base/layout_scale.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QFontMetrics>
#include <QPalette>
#include <QRegularExpression>
#include <QStyleFactory>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

// A static library does not register its resources by itself. Q_INIT_RESOURCE declares a function
// of the global namespace, so it can't stand inside ours.
static void registerResources()
{
    Q_INIT_RESOURCE(resources);
}

namespace plimsoll::ui {

namespace {

// The theme of the running program, for code that paints. Written only by Theme's constructor and
// destructor, on the GUI thread.
Theme* s_current = nullptr; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

struct TextSize
{
    double pixels;
    QFont::Weight weight;
};

constexpr std::array kSizes{TextSize{11, QFont::Normal},   TextSize{11, QFont::Medium},
                            TextSize{11, QFont::DemiBold}, TextSize{12, QFont::Normal},
                            TextSize{12, QFont::DemiBold}, TextSize{13, QFont::DemiBold},
                            TextSize{14, QFont::DemiBold}, TextSize{20, QFont::DemiBold},
                            TextSize{24, QFont::DemiBold}, TextSize{11, QFont::Normal}};

double pixelSizeOf(const QFont& font)
{
    if (font.pixelSize() > 0)
        return font.pixelSize();
    return font.pointSizeF() > 0 ? font.pointSizeF() * 96.0 / 72.0 : 12.0;
}

QPalette paletteFor(const Theme& theme)
{
    QPalette palette;
    const auto set = [&](QPalette::ColorRole role, Role token) {
        palette.setColor(role, theme.color(token));
    };
    set(QPalette::Window, Role::Window);
    set(QPalette::WindowText, Role::Text);
    set(QPalette::Base, Role::Panel);
    set(QPalette::AlternateBase, Role::Raised);
    set(QPalette::Text, Role::Text);
    set(QPalette::PlaceholderText, Role::Faint);
    set(QPalette::Button, Role::Panel);
    set(QPalette::ButtonText, Role::Text);
    set(QPalette::BrightText, Role::Danger);
    set(QPalette::Highlight, Role::Accent);
    set(QPalette::HighlightedText, Role::OnAccent);
    set(QPalette::Link, Role::Accent);
    set(QPalette::LinkVisited, Role::Accent);
    set(QPalette::ToolTipBase, Role::Panel);
    set(QPalette::ToolTipText, Role::Text);
    set(QPalette::Light, Role::Panel);
    set(QPalette::Midlight, Role::Raised);
    set(QPalette::Mid, Role::Border);
    set(QPalette::Dark, Role::BorderStrong);
    set(QPalette::Shadow, Role::BorderStrong);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, theme.color(Role::Faint));
    return palette;
}

QString sheetTemplate()
{
    QFile file{QStringLiteral(":/plimsoll/themes/app.qss")};
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString{};
}

} // namespace

Theme::Theme(QObject* parent) : QObject{parent}
{
    registerResources();
    const QPalette system = QApplication::palette();
    m_systemDark =
        system.color(QPalette::WindowText).lightness() > system.color(QPalette::Window).lightness();
    const QFont general = QFontDatabase::systemFont(QFontDatabase::GeneralFont);
    const bool hasInter = QFontDatabase::families().contains(QStringLiteral("Inter"));
    m_family = hasInter ? QStringLiteral("Inter") : general.family();
    m_systemPixels = std::clamp(pixelSizeOf(general), 11.0, 15.0);
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    s_current = this;
    apply();
}

Theme::~Theme()
{
    if (s_current == this)
        s_current = nullptr;
}

Theme& Theme::current()
{
    Q_ASSERT(s_current != nullptr);
    return *s_current;
}

QColor Theme::color(Role role, double alpha) const
{
    QColor result = color(role);
    result.setAlphaF(static_cast<float>(alpha));
    return result;
}

QFont Theme::makeFont(TextRole role) const
{
    const TextSize& size = kSizes.at(static_cast<std::size_t>(role));
    QFont font{m_family};
    if (role == TextRole::Code) {
        font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
        font.setStyleHint(QFont::Monospace);
    }
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(size.pixels * scale()))));
    font.setWeight(size.weight);
    return font;
}

int Theme::px(double designPixels) const
{
    return static_cast<int>(std::lround(designPixels * scale()));
}

int Theme::rowHeight(double designPixels) const
{
    return std::max(px(designPixels), QFontMetrics{font(TextRole::Body)}.height() + 8);
}

void Theme::setChoice(ThemeChoice choice)
{
    if (std::exchange(m_choice, choice) == choice)
        return;
    apply();
    Q_EMIT changed();
}

void Theme::setScalePercent(int percent)
{
    percent = std::clamp(percent, 75, 300);
    if (std::exchange(m_scalePercent, percent) != percent)
        applyScale();
}

void Theme::setSystemFactor(double factor)
{
    if (std::exchange(m_systemFactor, factor) != factor)
        applyScale();
}

void Theme::applyScale()
{
    const double before = scale();
    apply();
    rescaleLayouts(before, scale());
    Q_EMIT changed();
}

void Theme::setPatterns(PatternStrength patterns)
{
    if (std::exchange(m_patterns, patterns) != patterns)
        Q_EMIT changed();
}

void Theme::apply()
{
    m_dark = m_choice == ThemeChoice::Dark || (m_choice == ThemeChoice::System && m_systemDark);
    m_bodyPixels = m_systemPixels * m_systemFactor * m_scalePercent / 100.0;
    for (std::size_t role = 0; role < m_fonts.size(); ++role)
        m_fonts[role] = makeFont(static_cast<TextRole>(role));
    QApplication::setPalette(paletteFor(*this));
    QApplication::setFont(font(TextRole::Body));
    // The application has a single style sheet, which never holds data colours.
    qApp->setStyleSheet(filledStyleSheet(sheetTemplate(), *this));
}

QString filledStyleSheet(const QString& sheetTemplate, const Theme& theme)
{
    static const QRegularExpression length{QStringLiteral("@(\\d+)px@")};
    QString sheet = sheetTemplate;
    for (const Token& token : tokens())
        sheet.replace(u'@' + QString::fromLatin1(token.name) + u'@',
                      theme.color(token.role).name());
    sheet.replace(QStringLiteral("@theme@"),
                  theme.isDark() ? QStringLiteral("dark") : QStringLiteral("light"));
    qsizetype from = 0;
    for (auto match = length.match(sheet); match.hasMatch(); match = length.match(sheet, from)) {
        const QString pixels =
            QString::number(theme.px(match.captured(1).toDouble())) + QStringLiteral("px");
        sheet.replace(match.capturedStart(), match.capturedLength(), pixels);
        from = match.capturedStart() + pixels.size();
    }
    return sheet;
}

} // namespace plimsoll::ui

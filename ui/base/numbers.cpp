// SPDX-License-Identifier: Apache-2.0
#include "ui/base/numbers.h"

#include "core/base/format.h"

#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr double kKibi = 1024.0;
constexpr char16_t kMinus = u'\u2212';
constexpr char16_t kNoBreak = u'\u00a0';

struct Unit
{
    double factor;
    const char16_t* name;
};

constexpr std::array kBytes{Unit{kKibi * kKibi * kKibi * kKibi, u"TiB"},
                            Unit{kKibi * kKibi * kKibi, u"GiB"}, Unit{kKibi * kKibi, u"MiB"},
                            Unit{kKibi, u"KiB"}};
constexpr std::array kTimes{Unit{60e9, u"min"}, Unit{1e9, u"s"}, Unit{1e6, u"ms"},
                            Unit{1e3, u"µs"}};

QString plain(double value, int decimals)
{
    return QString::number(value, 'f', decimals);
}

FigureText shown(const base::FigureText& text)
{
    QString figure = QString::fromStdString(text.figure);
    return {figure.replace(u'-', QChar{kMinus}), QString::fromStdString(text.unit)};
}

QString joined(const FigureText& text)
{
    return text.figure + QChar{kNoBreak} + text.unit;
}

FigureText timeParts(base::Nanoseconds time)
{
    const auto value = static_cast<double>(time.count());
    for (const Unit& unit : kTimes) {
        if (value < unit.factor * (unit.factor < 1e10 ? 0.9995 : 1.0))
            continue;
        const double scaled = value / unit.factor;
        const int decimals = scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
        return {plain(scaled, decimals), QString::fromUtf16(unit.name)};
    }
    return {QString::number(time.count()), QStringLiteral("ns")};
}

/// "301,989,888": the C locale leaves the separators out unless asked.
QString grouped(qlonglong count)
{
    QLocale locale = QLocale::c();
    locale.setNumberOptions(QLocale::DefaultNumberOptions);
    return locale.toString(count);
}

QString withSign(const QString& text, bool negative)
{
    return (negative ? QChar{kMinus} : QChar{u'+'}) + text;
}

/// A signed amount as `text` writes its size; zero is bare.
template <typename Amount, typename Text>
QString differenceText(Amount difference, Text&& text)
{
    if (difference.count() == 0)
        return QStringLiteral("0");
    return withSign(text(Amount{std::abs(difference.count())}), difference.count() < 0);
}

} // namespace

QString bytesText(base::Bytes bytes, Rounding rounding)
{
    return joined(ui::bytesFigure(bytes, rounding));
}

QString budgetText(base::Bytes budget, base::Bytes peak)
{
    return QString::fromStdString(base::budgetText(budget, peak)).replace(u' ', QChar{kNoBreak});
}

QString shortBytesText(base::Bytes bytes, Rounding rounding)
{
    return joined(shown(base::bytesFigure(bytes, rounding, base::Digits::Few)));
}

QString capacityText(base::Bytes memory)
{
    constexpr std::int64_t kGibi = std::int64_t{1} << 30;
    if (memory.count() % kGibi == 0) // more often than not
        return QString::number(memory.count() / kGibi) + QStringLiteral("\u00a0GiB");
    return shortBytesText(memory, Rounding::Nearest);
}

FigureText bytesFigure(base::Bytes bytes, Rounding rounding)
{
    return shown(base::bytesFigure(bytes, rounding));
}

namespace {

/// Whole units, and how many decimals of one are shown beyond them.
struct ShownSteps
{
    base::Bytes whole;
    std::int64_t unit = 1;
    std::int64_t parts = 1; ///< of a unit

    explicit ShownSteps(base::Bytes bytes)
    {
        constexpr std::int64_t kGibibyte = std::int64_t{1} << 30;
        constexpr std::int64_t kTebibyte = kGibibyte << 10;
        const bool isLarge = bytes.count() >= kGibibyte;
        unit = bytes.count() >= kTebibyte ? kTebibyte : isLarge ? kGibibyte : base::kMiB;
        parts = isLarge ? 100 : 10;
        whole = base::Bytes{bytes.count() / unit * unit};
    }
};

} // namespace

base::Bytes shownCeiling(base::Bytes bytes)
{
    const ShownSteps steps{bytes};
    const std::int64_t count =
        ((bytes - steps.whole).count() * steps.parts + steps.unit - 1) / steps.unit;
    // Rounding down to a whole byte could fall below the shown value. The plan must fit, so the
    // result is never below its peak.
    return std::max(bytes, steps.whole + base::Bytes{count * steps.unit / steps.parts});
}

base::Bytes shownFloor(base::Bytes bytes)
{
    if (bytes.count() < base::kMiB)
        return bytes;
    const ShownSteps steps{bytes};
    const std::int64_t count = (bytes - steps.whole).count() * steps.parts / steps.unit;
    return steps.whole + base::Bytes{count * steps.unit / steps.parts};
}

QString exactBytesText(base::Bytes bytes)
{
    const QString exact = grouped(bytes.count());
    const auto value = static_cast<double>(bytes.count());
    if (std::abs(value) < kKibi)
        return exact + QChar{kNoBreak} + u'B';
    const auto unit = std::ranges::find_if(
        kBytes, [&](double factor) { return std::abs(value) >= factor; }, &Unit::factor);
    return plain(value / unit->factor, 2) + QChar{kNoBreak} + QString::fromUtf16(unit->name)
           + QStringLiteral(" (") + exact + QChar{kNoBreak} + QStringLiteral("B)");
}

QString bytesDifferenceText(base::Bytes difference)
{
    return differenceText(difference, [](base::Bytes size) { return ui::bytesText(size); });
}

QString bytesDifferenceText(base::Bytes difference, base::Bytes like)
{
    const auto text = [like](base::Bytes size) -> QString {
        const base::FigureText figure = base::bytesFigureLike(size, like, Rounding::Nearest);
        return QString::fromStdString(figure.figure) + QChar{kNoBreak}
               + QString::fromStdString(figure.unit);
    };
    // What rounds to nothing has no sign.
    const QString size = text(base::Bytes{std::abs(difference.count())});
    return difference.count() != 0 && size == text({}) ? size : differenceText(difference, text);
}

QString timeText(base::Nanoseconds time)
{
    return joined(timeParts(time));
}

QString timeDifferenceText(base::Nanoseconds difference)
{
    return differenceText(difference, &ui::timeText);
}

QString percentText(double fraction)
{
    return plain(fraction * 100, 1) + QChar{kNoBreak} + u'%';
}

double slowDown(base::Nanoseconds step, base::Nanoseconds unplanned)
{
    const auto whole = static_cast<double>(unplanned.count());
    return whole > 0 ? static_cast<double>(step.count()) / whole - 1.0 : 0.0;
}

QString percentDifferenceText(double fraction)
{
    const double shown = std::round(fraction * 1000) / 1000;
    if (shown == 0)
        return QStringLiteral("0");
    return withSign(percentText(std::abs(shown)), shown < 0);
}

QString countText(std::uint64_t count)
{
    if (count >= 1'000'000)
        return plain(static_cast<double>(count) / 1e6, 1) + QChar{kNoBreak} + u'M';
    return grouped(static_cast<qlonglong>(count));
}

base::Result<base::Bytes> parseBytes(const QString& text)
{
    return base::parseBytes(text.toStdString());
}

QString unknownText()
{
    return QStringLiteral("–");
}

} // namespace plimsoll::ui

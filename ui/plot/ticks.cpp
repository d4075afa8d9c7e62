// SPDX-License-Identifier: Apache-2.0
#include "ui/plot/ticks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace plimsoll::ui {

namespace {

constexpr std::size_t kMostByteLines = 9;
constexpr double kEndLabelGap = 40.0; ///< pixels a tick keeps from the labelled end
constexpr char16_t kNoBreak = u'\u00a0';

constexpr std::array kByteUnits{ByteUnit{std::int64_t{1} << 40, u"TiB"},
                                ByteUnit{std::int64_t{1} << 30, u"GiB"},
                                ByteUnit{std::int64_t{1} << 20, u"MiB"},
                                ByteUnit{std::int64_t{1} << 10, u"KiB"}, ByteUnit{1, u"B"}};

struct TimeUnit
{
    double factor;
    const char16_t* name;
};
constexpr std::array kTimeUnits{TimeUnit{1e9, u"s"}, TimeUnit{1e6, u"ms"}, TimeUnit{1e3, u"µs"},
                                TimeUnit{1, u"ns"}};

double decimalStep(double span, double pixels, double minGap)
{
    if (span <= 0 || pixels <= 0)
        return 0;
    const double least = span * minGap / pixels;
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (power * factor >= least * (1 - 1e-9))
            return power * factor;
    return power * 10;
}

QString number(double value, double step)
{
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    return QString::number(value, 'f', decimals);
}

/// Three significant digits, as for all times.
QString endNumber(double value)
{
    const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    QString text = QString::number(value, 'f', decimals);
    while (decimals > 0 && text.endsWith(u'0'))
        text.chop(1);
    if (text.endsWith(u'.'))
        text.chop(1);
    return text;
}

/// Removes the labels of ticks that are too close to the end, and adds the end itself.
void addEnd(std::vector<Tick>& ticks, const Tick& end, double pixelsPerUnit)
{
    while (!ticks.empty() && (end.value - ticks.back().value) * pixelsPerUnit < 1.0)
        ticks.pop_back();
    for (Tick& tick : ticks)
        if ((end.value - tick.value) * pixelsPerUnit < kEndLabelGap)
            tick.label.clear();
    ticks.push_back(end);
}

/// The smallest power of two that divides a span into few enough intervals.
std::int64_t byteStep(std::int64_t span, double pixels, double minGap)
{
    std::int64_t step = 1;
    const auto intervals = [&] { return (span + step - 1) / step; };
    // The count includes the line at the lower edge.
    while (static_cast<std::size_t>(intervals()) + 1 > kMostByteLines
           || pixels / static_cast<double>(intervals()) < minGap) {
        if (intervals() <= 1)
            break;
        step *= 2;
    }
    return step;
}

ByteAxis labelled(const ByteRange& shown, std::int64_t step)
{
    ByteAxis axis{shown, base::Bytes{step}, {}};
    // The unit in which sizes of the plot are shown, unless that needs more than three decimals.
    const ByteUnit& large = byteUnitOf(shown.top);
    const ByteUnit& unit = step * 8 >= large.factor ? large : byteUnitOf(axis.step);
    const std::int64_t first = (shown.bottom.count() + step - 1) / step * step;
    for (std::int64_t at = first; at <= shown.top.count(); at += step) {
        QString label =
            QString::number(static_cast<double>(at) / static_cast<double>(unit.factor), 'g', 7);
        if (at > shown.top.count() - step || (at == first && shown.bottom.count() > 0))
            label += QChar{kNoBreak} + QString::fromUtf16(unit.name);
        axis.ticks.push_back(Tick{static_cast<double>(at), label});
    }
    return axis;
}

} // namespace

const ByteUnit& byteUnitOf(base::Bytes size)
{
    return *std::find_if(kByteUnits.begin(), kByteUnits.end() - 1,
                         [&](const ByteUnit& unit) { return size.count() >= unit.factor; });
}

ByteAxis byteAxis(base::Bytes content, double pixels, double minGap)
{
    const std::int64_t wanted = std::max<std::int64_t>(content.count(), 8);
    const std::int64_t step = byteStep(wanted, pixels, minGap);
    return labelled({{}, base::Bytes{(wanted + step - 1) / step * step}}, step);
}

ByteAxis byteAxis(const ByteRange& shown, double pixels, double minGap)
{
    return labelled(shown,
                    byteStep(std::max<std::int64_t>(shown.span().count(), 1), pixels, minGap));
}

std::vector<double> decimalTicks(double begin, double end, double pixels, double minGap)
{
    std::vector<double> ticks;
    const double step = decimalStep(end - begin, pixels, minGap);
    if (step <= 0)
        return ticks;
    const double slack = step * 1e-6;
    for (double at = std::ceil((begin - slack) / step); at * step <= end + slack; at += 1)
        ticks.push_back(at * step);
    return ticks;
}

std::vector<Tick> timeTicks(double begin, double end, double pixels, double minGap)
{
    std::vector<Tick> ticks;
    if (end <= begin || pixels <= 0)
        return ticks;
    const TimeUnit& unit = *std::find_if(kTimeUnits.begin(), kTimeUnits.end() - 1,
                                         [&](const TimeUnit& u) { return end >= u.factor; });
    const QString suffix = QChar{kNoBreak} + QString::fromUtf16(unit.name);
    const double step = decimalStep((end - begin) / unit.factor, pixels, minGap);
    for (const double at : decimalTicks(begin / unit.factor, end / unit.factor, pixels, minGap)) {
        QString label = number(std::abs(at), step);
        if (ticks.empty())
            label += suffix;
        ticks.push_back(Tick{at * unit.factor, label});
    }
    // When zoomed in, three digits may not distinguish the end from its neighbours.
    const double last = end / unit.factor;
    const QString endLabel = begin > 0 ? number(last, step / 10) : endNumber(last);
    addEnd(ticks, Tick{end, endLabel + suffix}, pixels / (end - begin));
    return ticks;
}

std::vector<Tick> stepTicks(double begin, double end, double pixels, const QString& name,
                            double minGap)
{
    std::vector<Tick> ticks;
    if (end <= begin || pixels <= 0)
        return ticks;
    for (const double at : decimalTicks(begin, end, pixels, minGap)) {
        if (at != std::floor(at))
            continue;
        const QString plain = QString::number(static_cast<qlonglong>(at));
        ticks.push_back(Tick{at, ticks.empty() ? name + u' ' + plain : plain});
    }
    addEnd(ticks, Tick{end, QString::number(static_cast<qlonglong>(end))}, pixels / (end - begin));
    return ticks;
}

} // namespace plimsoll::ui

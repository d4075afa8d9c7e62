// SPDX-License-Identifier: Apache-2.0
#include "ui/base/numbers.h"

#include "core/base/format.h"

#include <QFontMetricsF>
#include <QGlyphRun>
#include <QHash>
#include <QLocale>
#include <QPaintEngine>
#include <QPainter>
#include <QRawFont>
#include <QTextLayout>

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

constexpr qsizetype kKnownFonts = 64;
constexpr qsizetype kKnownParts = 2048;

/// A digit or a stretch between digits, laid out.
struct Part
{
    QString text;
    bool isDigit = false;
    double width = 0;
    double ascent = 0; ///< of its line: the runs count from the top
    QList<QGlyphRun> runs;
};

/// The parts that were drawn in one font. While the budget line is dragged the same few come again
/// in every frame, and shaping them would cost more than drawing them.
struct KnownFont
{
    double cell = 0; ///< width of the widest digit
    QHash<QString, Part> parts;
};

KnownFont& known(const QFont& font)
{
    // Glyph runs belong to the thread that made them.
    thread_local QHash<QFont, KnownFont> fonts;
    const auto found = fonts.find(font);
    if (found != fonts.end())
        return *found;
    if (fonts.size() >= kKnownFonts)
        fonts.clear();
    KnownFont fresh;
    const QFontMetricsF metrics{font};
    for (char16_t digit = u'0'; digit <= u'9'; ++digit)
        fresh.cell = std::max(fresh.cell, metrics.horizontalAdvance(QChar{digit}));
    return *fonts.insert(font, fresh);
}

bool isDigit(QChar letter)
{
    return letter >= u'0' && letter <= u'9';
}

const Part& partOf(const QFont& font, KnownFont& fonts, const QString& text)
{
    const auto found = fonts.parts.constFind(text);
    if (found != fonts.parts.constEnd())
        return *found;
    if (fonts.parts.size() >= kKnownParts)
        fonts.parts.clear();
    QTextLayout layout{text, font};
    layout.beginLayout();
    const QTextLine line = layout.createLine();
    layout.endLayout();
    return *fonts.parts.insert(text, {text, text.size() == 1 && isDigit(text[0]),
                                      QFontMetricsF{font}.horizontalAdvance(text),
                                      line.isValid() ? line.ascent() : 0, layout.glyphRuns()});
}

/// Calls visit(part) for each digit and for the stretches between.
template <typename Visit>
void forEachPart(const QFont& font, KnownFont& fonts, const QString& text, Visit&& visit)
{
    for (qsizetype at = 0; at < text.size();) {
        qsizetype end = at + 1;
        if (!isDigit(text[at]))
            while (end < text.size() && !isDigit(text[end]))
                ++end;
        visit(partOf(font, fonts, text.mid(at, end - at)));
        at = end;
    }
}

double widthOf(const QFont& font, KnownFont& fonts, const QString& text)
{
    double width = 0;
    forEachPart(font, fonts, text,
                [&](const Part& part) { width += part.isDigit ? fonts.cell : part.width; });
    return width;
}

/// Parts of one text drawn together as far as they are of one font: a run costs more than its
/// glyphs.
class PendingGlyphs
{
public:
    explicit PendingGlyphs(QPainter& painter)
        : m_painter{painter}, m_takesRuns{painter.paintEngine()->type() == QPaintEngine::Raster}
    {
    }
    PendingGlyphs(const PendingGlyphs&) = delete;
    PendingGlyphs& operator=(const PendingGlyphs&) = delete;
    PendingGlyphs(PendingGlyphs&&) = delete;
    PendingGlyphs& operator=(PendingGlyphs&&) = delete;
    ~PendingGlyphs() { draw(); }

    void add(const Part& part, QPointF pos)
    {
        // Devices of shapes want the text itself.
        if (!m_takesRuns) {
            m_painter.drawText(pos, part.text);
            return;
        }
        for (const QGlyphRun& run : part.runs) {
            if (!m_glyphs.isEmpty() && run.rawFont() != m_font)
                draw();
            m_font = run.rawFont();
            m_glyphs += run.glyphIndexes();
            for (const QPointF& at : run.positions())
                m_positions << at + pos - QPointF{0, part.ascent};
        }
    }

private:
    void draw()
    {
        if (m_glyphs.isEmpty())
            return;
        QGlyphRun run;
        run.setRawFont(m_font);
        run.setGlyphIndexes(m_glyphs);
        run.setPositions(m_positions);
        m_painter.drawGlyphRun({}, run);
        m_glyphs.clear();
        m_positions.clear();
    }

    QPainter& m_painter;
    bool m_takesRuns;
    QRawFont m_font;
    QList<quint32> m_glyphs;
    QList<QPointF> m_positions;
};

} // namespace

QString bytesText(base::Bytes bytes, Rounding rounding)
{
    return joined(ui::bytesFigure(bytes, rounding));
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
    return shortBytesText(memory, Rounding::Down);
}

FigureText bytesFigure(base::Bytes bytes, Rounding rounding)
{
    return shown(base::bytesFigure(bytes, rounding));
}

FigureText timeFigure(base::Nanoseconds time)
{
    return timeParts(time);
}

QString exactBytesText(base::Bytes bytes)
{
    const QString exact = grouped(bytes.count());
    const auto value = static_cast<double>(bytes.count());
    if (std::abs(value) < kKibi)
        return exact + QChar{kNoBreak} + u'B';
    const auto unit = std::find_if(kBytes.begin(), kBytes.end(), [&](const Unit& candidate) {
        return std::abs(value) >= candidate.factor;
    });
    return plain(value / unit->factor, 2) + QChar{kNoBreak} + QString::fromUtf16(unit->name)
           + QStringLiteral(" (") + exact + QChar{kNoBreak} + QStringLiteral("B)");
}

QString bytesDifferenceText(base::Bytes difference)
{
    if (difference.count() == 0)
        return QStringLiteral("0");
    const bool negative = difference.count() < 0;
    return withSign(ui::bytesText(base::Bytes{std::abs(difference.count())}), negative);
}

QString timeText(base::Nanoseconds time)
{
    return joined(timeParts(time));
}

QString timeDifferenceText(base::Nanoseconds difference)
{
    if (difference.count() == 0)
        return QStringLiteral("0");
    const bool negative = difference.count() < 0;
    return withSign(ui::timeText(base::Nanoseconds{std::abs(difference.count())}), negative);
}

QString percentText(double fraction)
{
    return plain(fraction * 100, 1) + QChar{kNoBreak} + u'%';
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

QString unknownText()
{
    return QStringLiteral("–");
}

double numberWidth(const QFont& font, const QString& text)
{
    return widthOf(font, known(font), text);
}

void drawNumber(QPainter& painter, QPointF pos, const QString& text, Qt::Alignment align)
{
    const QFont& font = painter.font();
    KnownFont& fonts = known(font);
    double x = pos.x();
    if ((align & Qt::AlignRight) != 0)
        x -= widthOf(font, fonts, text);
    else if ((align & Qt::AlignHCenter) != 0)
        x -= widthOf(font, fonts, text) / 2;
    PendingGlyphs glyphs{painter};
    forEachPart(font, fonts, text, [&](const Part& part) {
        glyphs.add(part, {part.isDigit ? x + (fonts.cell - part.width) / 2 : x, pos.y()});
        x += part.isDigit ? fonts.cell : part.width;
    });
}

double nameWidth(const QFont& font, const QString& text)
{
    return partOf(font, known(font), text).width;
}

void drawName(QPainter& painter, QPointF pos, const QString& text)
{
    const QFont& font = painter.font();
    PendingGlyphs{painter}.add(partOf(font, known(font), text), pos);
}

} // namespace plimsoll::ui

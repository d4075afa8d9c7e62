// SPDX-License-Identifier: Apache-2.0
#include "ui/base/drawn_text.h"

#include <QCache>
#include <QColor>
#include <QFontMetricsF>
#include <QGlyphRun>
#include <QHash>
#include <QPaintEngine>
#include <QPainter>
#include <QPixmap>
#include <QRawFont>
#include <QTextLayout>

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr qsizetype kKnownFonts = 64;
constexpr qsizetype kKnownParts = 2048;
constexpr qsizetype kKnownFits = 512;
constexpr qsizetype kKeptBytes = qsizetype{16} << 20; ///< of pictures of texts
constexpr int kOverhang = 2; ///< pixels that letters may reach beyond their width

/// A laid-out digit, or text between digits.
struct Part
{
    QString text;
    bool isDigit = false;
    double width = 0;
    double ascent = 0; ///< of its line: the runs count from the top
    QList<QGlyphRun> runs;
};

/// The parts drawn in one font. While the budget line is dragged, the same few texts are drawn in
/// every frame, and shaping them again would cost more than drawing them.
struct KnownFont
{
    int number = 0;  ///< distinguishes it from all others
    double cell = 0; ///< width of the widest digit
    double ascent = 0;
    double descent = 0;
    QHash<QString, Part> parts;
    QHash<QPair<QString, QPair<int, int>>, QString> fits; ///< by text, room and place of the cut
};

KnownFont& known(const QFont& font)
{
    // Glyph runs belong to the thread that created them.
    thread_local QHash<QFont, KnownFont> fonts;
    const auto found = fonts.find(font);
    if (found != fonts.end())
        return *found;
    if (fonts.size() >= kKnownFonts)
        fonts.clear();
    thread_local int count = 0;
    KnownFont fresh;
    fresh.number = ++count;
    const QFontMetricsF metrics{font};
    fresh.ascent = std::ceil(metrics.ascent());
    fresh.descent = std::ceil(metrics.descent());
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

/// Calls visit(part) for each digit and for the text between digits.
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

/// Collects parts of one text with the same font and draws them together: the cost per run exceeds
/// that of its glyphs.
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
        // Vector devices need the text itself.
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

/// The parameters on which the picture of a text depends.
struct PictureKey
{
    QString text;
    int font = 0;
    QRgb ink = 0;
    QRgb ground = 0;
    int pixels = 0; ///< ratio of pixels, per mille
    bool isNumber = false;

    friend bool operator==(const PictureKey&, const PictureKey&) = default;
    friend std::size_t qHash(const PictureKey& key, std::size_t seed = 0)
    {
        return qHashMulti(seed, key.text, key.font, key.ink, key.ground, key.pixels, key.isNumber);
    }
};

void drawParts(QPainter& painter, KnownFont& fonts, QPointF pos, const QString& text, bool isNumber)
{
    const QFont& font = painter.font();
    PendingGlyphs glyphs{painter};
    if (!isNumber) {
        glyphs.add(partOf(font, fonts, text), pos);
        return;
    }
    double x = pos.x();
    forEachPart(font, fonts, text, [&](const Part& part) {
        glyphs.add(part, {part.isDigit ? x + (fonts.cell - part.width) / 2 : x, pos.y()});
        x += part.isDigit ? fonts.cell : part.width;
    });
}

QPixmap paintedText(const QPainter& like, KnownFont& fonts, const PictureKey& key, double width,
                    double ratio)
{
    const QSizeF size{std::ceil(width) + 2 * kOverhang, fonts.ascent + fonts.descent};
    QPixmap picture{(size * ratio).toSize()};
    picture.setDevicePixelRatio(ratio);
    picture.fill(QColor::fromRgb(key.ground));
    QPainter painter{&picture};
    painter.setFont(like.font());
    painter.setPen(like.pen());
    drawParts(painter, fonts, {kOverhang, fonts.ascent}, key.text, key.isNumber);
    return picture;
}

/// A line of text, measured.
struct Line
{
    const QString& text;
    bool isNumber;
    double width;
};

/// Draws to the right, starting at `pos`.
void drawLineOn(const QColor& ground, QPainter& painter, KnownFont& fonts, QPointF pos,
                const Line& line)
{
    if (painter.paintEngine()->type() != QPaintEngine::Raster) {
        drawParts(painter, fonts, pos, line.text, line.isNumber);
        return;
    }
    thread_local QCache<PictureKey, QPixmap> kept{kKeptBytes};
    const double ratio = painter.device()->devicePixelRatioF();
    const PictureKey key{line.text,
                         fonts.number,
                         painter.pen().color().rgba(),
                         ground.rgb(),
                         static_cast<int>(std::lround(ratio * 1000)),
                         line.isNumber};
    const QPointF corner{std::round(pos.x() * ratio) / ratio - kOverhang,
                         std::round(pos.y() * ratio) / ratio - fonts.ascent};
    if (const QPixmap* known = kept.object(key)) {
        painter.drawPixmap(corner, *known);
        return;
    }
    const QPixmap fresh = paintedText(painter, fonts, key, line.width, ratio);
    painter.drawPixmap(corner, fresh);
    kept.insert(key, new QPixmap{fresh}, qsizetype{4} * fresh.width() * fresh.height());
}

double leftEnd(double x, double width, Qt::Alignment align)
{
    if ((align & Qt::AlignRight) != 0)
        return x - width;
    return (align & Qt::AlignHCenter) != 0 ? x - width / 2 : x;
}

} // namespace

double numberWidth(const QFont& font, const QString& text)
{
    return widthOf(font, known(font), text);
}

void drawNumber(QPainter& painter, QPointF pos, const QString& text, Qt::Alignment align)
{
    KnownFont& fonts = known(painter.font());
    const bool fromLeft = (align & (Qt::AlignRight | Qt::AlignHCenter)) == 0;
    const double width = fromLeft ? 0 : widthOf(painter.font(), fonts, text);
    drawParts(painter, fonts, {leftEnd(pos.x(), width, align), pos.y()}, text, true);
}

double nameWidth(const QFont& font, const QString& text)
{
    return partOf(font, known(font), text).width;
}

void drawName(QPainter& painter, QPointF pos, const QString& text)
{
    drawParts(painter, known(painter.font()), pos, text, false);
}

QString fittedName(const QFont& font, const QString& text, Qt::TextElideMode mode, double width)
{
    KnownFont& fonts = known(font);
    if (partOf(font, fonts, text).width <= width)
        return text;
    // Finding where to cut reshapes the text repeatedly.
    const auto room = static_cast<int>(std::floor(width));
    if (fonts.fits.size() >= kKnownFits)
        fonts.fits.clear();
    QString& fit = fonts.fits[{text, {room, static_cast<int>(mode)}}];
    if (fit.isNull())
        fit = QFontMetricsF{font}.elidedText(text, mode, room);
    return fit;
}

void drawNumberOn(const QColor& ground, QPainter& painter, QPointF pos, const QString& text,
                  Qt::Alignment align)
{
    KnownFont& fonts = known(painter.font());
    const double width = widthOf(painter.font(), fonts, text);
    drawLineOn(ground, painter, fonts, {leftEnd(pos.x(), width, align), pos.y()},
               {text, true, width});
}

void drawNameOn(const QColor& ground, QPainter& painter, QPointF pos, const QString& text)
{
    KnownFont& fonts = known(painter.font());
    const double width = partOf(painter.font(), fonts, text).width;
    drawLineOn(ground, painter, fonts, pos, {text, false, width});
}

} // namespace plimsoll::ui

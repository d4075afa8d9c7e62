// SPDX-License-Identifier: Apache-2.0
#include "ui/base/icons.h"

#include "ui/base/theme.h"

#include <QFile>
#include <QIconEngine>
#include <QPaintEngine>
#include <QPainter>
#include <QPixmap>
#include <QPixmapCache>
#include <QSvgRenderer>

namespace plimsoll::ui {

namespace {

void renderIcon(QPainter& painter, const QRectF& rect, const QString& name, const QColor& color)
{
    QFile file{QStringLiteral(":/plimsoll/icons/") + name + QStringLiteral(".svg")};
    if (!file.open(QIODevice::ReadOnly))
        return;
    QByteArray source = file.readAll();
    const QByteArray stroke = QByteArray{"stroke=\""} + color.name().toLatin1() + QByteArray{"\""};
    source.replace("stroke=\"#000\"", stroke);
    QSvgRenderer renderer{source};
    painter.setRenderHint(QPainter::Antialiasing);
    renderer.render(&painter, rect);
}

/// The icon in device pixels, cached: there are few combinations of icon, size and colour, and
/// reading one takes longer than everything painted around it.
QPixmap iconPixels(const QString& name, const QColor& color, const QSize& size, double ratio)
{
    const QString key = QStringLiteral("icon %1 %2 %3x%4 %5")
                            .arg(name, color.name())
                            .arg(size.width())
                            .arg(size.height())
                            .arg(ratio);
    QPixmap pixels;
    if (QPixmapCache::find(key, &pixels))
        return pixels;
    pixels = QPixmap{size};
    pixels.fill(Qt::transparent);
    {
        QPainter painter{&pixels};
        renderIcon(painter, QRectF{QPointF{}, QSizeF{size}}, name, color);
    }
    pixels.setDevicePixelRatio(ratio);
    QPixmapCache::insert(key, pixels);
    return pixels;
}

/// Whether a rectangle covers whole pixels of the painter's device, which must be a raster.
bool coversPixels(const QPainter& painter, const QRectF& rect)
{
    const QTransform& transform = painter.deviceTransform();
    if (painter.paintEngine()->type() != QPaintEngine::Raster
        || transform.type() > QTransform::TxScale || transform.m11() != transform.m22())
        return false;
    const QRectF device = transform.mapRect(rect);
    return device == QRectF{device.toRect()};
}

/// Renders at paint time, with the current theme and device pixel ratio.
class ThemedEngine : public QIconEngine
{
public:
    ThemedEngine(QString name, Role rest, Role current)
        : m_name{std::move(name)}, m_rest{rest}, m_current{current}
    {
    }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        drawIcon(*painter, QRectF{rect}, m_name, colorFor(mode, state));
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        return scaledPixmap(size, mode, state, 1.0);
    }

    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state,
                         qreal /*scale*/) override
    {
        // `size` is already in device pixels.
        QPixmap result{size};
        result.fill(Qt::transparent);
        QPainter painter{&result};
        drawIcon(painter, QRectF{QPointF{}, QSizeF{size}}, m_name, colorFor(mode, state));
        return result;
    }

    [[nodiscard]] QIconEngine* clone() const override
    {
        return new ThemedEngine{m_name, m_rest, m_current};
    }

    QString iconName() override { return m_name; }

private:
    [[nodiscard]] QColor colorFor(QIcon::Mode mode, QIcon::State state) const
    {
        const Theme& theme = Theme::current();
        if (mode == QIcon::Disabled)
            return theme.color(Role::Faint, 0.6);
        const bool current = state == QIcon::On || mode == QIcon::Active;
        return theme.color(current ? m_current : m_rest);
    }

    QString m_name;
    Role m_rest;
    Role m_current;
};

} // namespace

QIcon icon(const QString& name, Role rest, Role current)
{
    // QIcon takes ownership of the engine.
    return QIcon{new ThemedEngine{name, rest, current}};
}

QIcon applicationIcon()
{
    QIcon result;
    for (const int side : {16, 22, 24, 32, 48, 64, 128, 256})
        result.addFile(side <= 22 ? QStringLiteral(":/plimsoll/icons/plimsoll-small.svg")
                                  : QStringLiteral(":/plimsoll/icons/plimsoll.svg"),
                       QSize{side, side});
    return result;
}

void drawIcon(QPainter& painter, const QRectF& rect, const QString& name, const QColor& color)
{
    painter.save();
    painter.setOpacity(painter.opacity() * static_cast<qreal>(color.alphaF()));
    if (coversPixels(painter, rect)) {
        const double ratio = painter.deviceTransform().m11();
        painter.drawPixmap(rect.topLeft(),
                           iconPixels(name, color, (rect.size() * ratio).toSize(), ratio));
    } else {
        renderIcon(painter, rect, name, color);
    }
    painter.restore();
}

} // namespace plimsoll::ui

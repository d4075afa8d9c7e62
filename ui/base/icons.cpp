// SPDX-License-Identifier: Apache-2.0
#include "ui/base/icons.h"

#include "ui/base/base_resources.h"
#include "ui/base/theme.h"

#include <QFile>
#include <QHash>
#include <QIconEngine>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

#include <memory>

namespace plimsoll::ui {

namespace {

QByteArray iconSource(const QString& name)
{
    initResources();
    QFile file{QStringLiteral(":/plimsoll/icons/") + name + QStringLiteral(".svg")};
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray{};
}

/// Reading and parsing an icon takes longer than painting it; icons and their colours are few. Null
/// for a name that is none.
QSvgRenderer* rendererOf(const QString& name, const QColor& color)
{
    constexpr qsizetype kKnown = 256;
    thread_local QHash<QPair<QString, QRgb>, std::shared_ptr<QSvgRenderer>> known;
    const QPair<QString, QRgb> key{name, color.rgb()};
    const auto found = known.constFind(key);
    if (found != known.constEnd())
        return found->get();
    QByteArray source = iconSource(name);
    if (source.isEmpty())
        return nullptr;
    const QByteArray stroke = QByteArray{"stroke=\""} + color.name().toLatin1() + QByteArray{"\""};
    source.replace("stroke=\"#000\"", stroke);
    if (known.size() >= kKnown)
        known.clear();
    return known.insert(key, std::make_shared<QSvgRenderer>(source))->get();
}

/// Renders at paint time, so that theme and device pixel ratio are those of the moment.
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
        // `size` is in device pixels already.
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
    // QIcon takes the engine.
    return QIcon{new ThemedEngine{name, rest, current}};
}

QIcon applicationIcon()
{
    initResources();
    QIcon result;
    for (const int side : {16, 22, 24, 32, 48, 64, 128, 256})
        result.addFile(side <= 22 ? QStringLiteral(":/plimsoll/icons/plimsoll-small.svg")
                                  : QStringLiteral(":/plimsoll/icons/plimsoll.svg"),
                       QSize{side, side});
    return result;
}

void drawIcon(QPainter& painter, const QRectF& rect, const QString& name, const QColor& color)
{
    QSvgRenderer* renderer = rendererOf(name, color);
    if (renderer == nullptr)
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setOpacity(painter.opacity() * static_cast<qreal>(color.alphaF()));
    renderer->render(&painter, rect);
    painter.restore();
}

bool hasIcon(const QString& name)
{
    return !iconSource(name).isEmpty();
}

} // namespace plimsoll::ui

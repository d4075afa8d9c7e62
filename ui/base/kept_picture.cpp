// SPDX-License-Identifier: Apache-2.0
#include "ui/base/kept_picture.h"

#include "ui/base/theme.h"

#include <QPaintEngine>
#include <QPainter>
#include <QPixmapCache>

namespace plimsoll::ui {

void drawKept(QPainter& painter, const QPointF& pos, const QString& key, const QRectF& box,
              const std::function<void(QPainter&)>& draw)
{
    if (painter.paintEngine()->type() != QPaintEngine::Raster) {
        painter.save();
        painter.translate(pos);
        draw(painter);
        painter.restore();
        return;
    }
    const double ratio = painter.device()->devicePixelRatioF();
    const QString full = key
                         + QStringLiteral(" %1 %2 %3 %4")
                               .arg(box.width())
                               .arg(box.height())
                               .arg(ratio)
                               .arg(Theme::current().isDark());
    QPixmap kept;
    if (!QPixmapCache::find(full, &kept)) {
        kept = QPixmap{(box.size() * ratio).toSize()};
        kept.setDevicePixelRatio(ratio);
        kept.fill(Qt::transparent);
        QPainter onto{&kept};
        onto.translate(-box.topLeft());
        draw(onto);
        onto.end();
        QPixmapCache::insert(full, kept);
    }
    painter.drawPixmap(pos + box.topLeft(), kept);
}

} // namespace plimsoll::ui

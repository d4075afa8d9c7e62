// SPDX-License-Identifier: Apache-2.0
#include "ui/planner_page/plan_picture.h"

#include "core/writers/formats.h"

#include <QBuffer>
#include <QImage>
#include <QPageLayout>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgRenderer>

namespace plimsoll::ui {

namespace {

constexpr int kScale = 2;
constexpr double kPointsPerPixel = 0.75;

bool isPdf(const QString& path)
{
    return path.endsWith(QLatin1String{".pdf"}, Qt::CaseInsensitive);
}

bool drawPage(QSvgRenderer& picture, QBuffer& buffer)
{
    QPdfWriter writer{&buffer};
    writer.setPageSize(
        QPageSize{QSizeF{picture.defaultSize()} * kPointsPerPixel, QPageSize::Point});
    writer.setPageMargins({});
    QPainter painter;
    if (!painter.begin(&writer))
        return false;
    picture.render(&painter);
    return painter.end();
}

bool drawImage(QSvgRenderer& picture, QBuffer& buffer)
{
    QImage image{picture.defaultSize() * kScale, QImage::Format_ARGB32};
    image.fill(Qt::white);
    QPainter painter{&image};
    picture.render(&painter);
    painter.end();
    return image.save(&buffer, "PNG");
}

} // namespace

bool isDrawn(const QString& path)
{
    return isPdf(path) || path.endsWith(QLatin1String{".png"}, Qt::CaseInsensitive);
}

base::Result<QByteArray> drawnPicture(const plan::FrontierPoint& plan, const QString& path)
{
    QSvgRenderer picture{QByteArray::fromStdString(writers::timelinePicture(plan))};
    QByteArray bytes;
    QBuffer buffer{&bytes};
    buffer.open(QIODevice::WriteOnly);
    if (!picture.isValid()
        || !(isPdf(path) ? drawPage(picture, buffer) : drawImage(picture, buffer)))
        return base::failure(base::ErrorKind::Internal,
                             "The picture could not be drawn; export it as SVG instead.");
    buffer.close();
    return bytes;
}

} // namespace plimsoll::ui

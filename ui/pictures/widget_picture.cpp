// SPDX-License-Identifier: Apache-2.0
#include "ui/pictures/widget_picture.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <QWidget>

namespace plimsoll::ui {

namespace {

constexpr int kPngScale = 2;
constexpr double kPointsOfPixel = 0.75;
constexpr int kPixelsPerInch = 96;

bool hasEnding(const QString& path, const char* ending)
{
    return path.endsWith(QLatin1String{ending}, Qt::CaseInsensitive);
}

bool drawPng(QWidget& widget, QBuffer& buffer)
{
    QImage image{widget.size() * kPngScale, QImage::Format_RGB32};
    image.setDevicePixelRatio(kPngScale);
    widget.render(&image);
    return image.save(&buffer, "PNG");
}

bool drawPdf(QWidget& widget, QBuffer& buffer)
{
    QPdfWriter writer{&buffer};
    writer.setPageSize(QPageSize{QSizeF{widget.size()} * kPointsOfPixel, QPageSize::Point});
    writer.setPageMargins({});
    writer.setResolution(kPixelsPerInch);
    QPainter painter;
    if (!painter.begin(&writer))
        return false;
    widget.render(&painter);
    return painter.end();
}

bool drawSvg(QWidget& widget, QBuffer& buffer)
{
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(widget.size());
    generator.setViewBox(QRect{QPoint{}, widget.size()});
    generator.setResolution(kPixelsPerInch);
    generator.setTitle(widget.accessibleName());
    generator.setDescription(widget.accessibleDescription());
    QPainter painter;
    if (!painter.begin(&generator))
        return false;
    widget.render(&painter);
    return painter.end();
}

} // namespace

QString pictureFilters()
{
    return QCoreApplication::translate("WidgetPicture", "SVG (*.svg);;PNG (*.png);;PDF (*.pdf)");
}

base::Result<QByteArray> widgetPicture(QWidget& widget, const QString& path)
{
    QByteArray bytes;
    QBuffer buffer{&bytes};
    buffer.open(QIODevice::WriteOnly);
    const bool isDrawn = hasEnding(path, ".png")   ? drawPng(widget, buffer)
                         : hasEnding(path, ".pdf") ? drawPdf(widget, buffer)
                                                   : drawSvg(widget, buffer);
    buffer.close();
    if (!isDrawn || bytes.isEmpty())
        return base::failure(base::ErrorKind::Internal, "The picture could not be drawn.");
    return bytes;
}

} // namespace plimsoll::ui

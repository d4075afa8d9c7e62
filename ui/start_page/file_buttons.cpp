// SPDX-License-Identifier: Apache-2.0
#include "ui/start_page/file_buttons.h"

#include "ui/base/drawn_text.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"

#include <QContextMenuEvent>
#include <QDateTime>
#include <QFileInfo>
#include <QFontMetricsF>
#include <QKeyEvent>
#include <QLocale>
#include <QMenu>
#include <QPainter>

namespace plimsoll::ui {

namespace {

/// See TimelineModel::rounding.
QString peakText(const FileSummary& summary)
{
    return bytesText(*summary.peak, summary.isRecorded ? Rounding::Nearest : Rounding::Up);
}

void drawFocus(QPainter& painter, const QRectF& rect, double radius)
{
    setShape(painter, QPen{Theme::current().color(Role::Accent), 2});
    painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), radius, radius);
}

QString dayText(const QString& path)
{
    const QDateTime time = QFileInfo{path}.lastModified();
    if (!time.isValid())
        return {};
    const qint64 days = time.date().daysTo(QDate::currentDate());
    if (days == 0)
        return QObject::tr("today, %1")
            .arg(QLocale{}.toString(time.time(), QStringLiteral("HH:mm")));
    if (days == 1)
        return QObject::tr("yesterday");
    return QLocale{}.toString(time.date(), QStringLiteral("d MMM yyyy"));
}

class FileCard : public FileButton
{
public:
    FileCard(const QString& path, QWidget* parent) : FileButton{path, parent}
    {
        setMinimumWidth(Theme::current().px(kCardWidth)); // grows if the row has room
    }
    [[nodiscard]] QSize sizeHint() const override
    {
        return {Theme::current().px(kCardWidth), Theme::current().px(84)};
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        const Theme& theme = Theme::current();
        const auto px = [&](double length) -> double { return theme.px(length); };
        QPainter painter{this};
        const QRectF card = QRectF{rect()}.adjusted(0.5, 0.5, -0.5, -0.5);
        setShape(painter, QPen{theme.color(underMouse() ? Role::Accent : Role::Border), 1},
                 theme.color(Role::Panel));
        painter.drawRoundedRect(card, px(8), px(8));
        if (hasFocus())
            drawFocus(painter, card, px(8));
        paintThumbnail(painter, QRectF{px(12), px(12), px(92), px(60)}, summary().thumbnail);
        const double left = px(116);
        const double inner = width() - left - px(12);
        double y = px(10);
        drawLine(painter, QRectF{left, y, inner, px(22)}, summary().name, TextRole::Lead,
                 Role::Text);
        y += px(22);
        const QString kind = summary().fault.isEmpty() ? summary().kind : summary().fault;
        drawLine(painter, QRectF{left, y, inner, px(20)}, kind, TextRole::Body, Role::Muted);
        y += px(21);
        if (summary().peak) {
            const QString peak = peakText(summary());
            drawLine(painter, QRectF{left, y, inner, px(22)}, peak, TextRole::Lead, Role::Text);
            const double after = numberWidth(theme.font(TextRole::Lead), peak) + px(8);
            drawLine(painter, QRectF{left + after, y, inner - after, px(22)},
                     summary().isRecorded ? tr("peak, recorded") : tr("peak, unplanned"),
                     TextRole::Body, Role::Muted);
        }
    }
};

class FileRow : public FileButton
{
public:
    FileRow(const QString& path, QWidget* parent) : FileButton{path, parent}
    {
        setToolTip(plainTip(fileText(path)));
    }
    [[nodiscard]] QSize sizeHint() const override
    {
        return {Theme::current().px(600), Theme::current().rowHeight(36)};
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        const Theme& theme = Theme::current();
        const auto px = [&](double length) -> double { return theme.px(length); };
        QPainter painter{this};
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF row{rect()};
        if (underMouse())
            painter.fillRect(row, theme.color(Role::Raised));
        if (hasFocus())
            drawFocus(painter, row, px(5));
        const bool gone = !summary().fault.isEmpty();
        const Role ink = gone ? Role::Faint : Role::Text;
        const Role quiet = gone ? Role::Faint : Role::Muted;
        paintThumbnail(painter, QRectF{px(12), (row.height() - px(23)) / 2, px(64), px(23)},
                       summary().thumbnail);
        // Column widths as shares of the room to the right of the thumbnail.
        const double left = px(92);
        const double width = row.width() - left - px(14);
        const auto cell = [&](double from, double to) {
            return QRectF{left + width * from, 0, width * (to - from) - px(10), row.height()};
        };
        drawLine(painter, cell(0.0, 0.30), summary().name, TextRole::Body, ink);
        drawLine(painter, cell(0.30, 0.48), gone ? summary().fault : summary().kind, TextRole::Body,
                 quiet);
        if (summary().peak) {
            QString peak = peakText(summary());
            if (summary().planned)
                peak += QStringLiteral(" → ") + bytesText(*summary().planned, Rounding::Up);
            drawLine(painter, cell(0.48, 0.66), peak, TextRole::Body, ink, Qt::AlignRight);
        }
        drawLine(painter, cell(0.68, 0.86), summary().plan, TextRole::Body, quiet);
        drawLine(painter, QRectF{left + width * 0.86, 0, width * 0.14, row.height()},
                 dayText(path()), TextRole::Body, quiet, Qt::AlignRight);
    }

    void contextMenuEvent(QContextMenuEvent* event) override
    {
        QMenu menu{this};
        menu.addAction(tr("&Remove from List"), this, [this] { Q_EMIT removeRequested(path()); });
        menu.exec(event->globalPos());
    }
};

} // namespace

void drawLine(QPainter& painter, const QRectF& rect, const QString& text, TextRole font, Role role,
              Qt::Alignment align)
{
    setText(painter, font, role);
    const QString shown =
        numberWidth(painter.font(), text) > rect.width()
            ? QFontMetricsF{painter.font()}.elidedText(text, Qt::ElideMiddle, rect.width())
            : text;
    const double x = align == Qt::AlignRight ? rect.right() : rect.left();
    drawNumber(painter, {x, baselineIn(rect, painter.font())}, shown, align);
}

FileButton::FileButton(QString path, QWidget* parent)
    : QAbstractButton{parent}, m_path{std::move(path)}
{
    m_summary.name = fileText(QFileInfo{m_path}.fileName());
    setAccessibleName(m_summary.name);
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::TabFocus); // the focus ring is for keyboard users
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void FileButton::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        click();
    else
        QAbstractButton::keyPressEvent(event);
}

void FileButton::setSummary(const FileSummary& summary)
{
    m_summary = summary;
    setAccessibleName(summary.name);
    setAccessibleDescription(summary.kind);
    update();
}

FileButton* makeFileCard(const QString& path, QWidget* parent)
{
    return new FileCard{path, parent};
}

FileButton* makeFileRow(const QString& path, QWidget* parent)
{
    return new FileRow{path, parent};
}

} // namespace plimsoll::ui

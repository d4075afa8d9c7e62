// SPDX-License-Identifier: Apache-2.0
#include "ui/start_page/start_widgets.h"

#include "ui/base/drawn_text.h"
#include "ui/base/icons.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QDateTime>
#include <QFileInfo>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

namespace plimsoll::ui {

namespace {

/// One line of text that ends with "…" where it doesn't fit.
void drawLine(QPainter& painter, const QRectF& rect, const QString& text, TextRole font, Role role,
              Qt::Alignment align = Qt::AlignLeft)
{
    const Theme& theme = Theme::current();
    painter.setFont(theme.font(font));
    painter.setPen(theme.color(role));
    const QFontMetricsF metrics{painter.font()};
    const QString shown = numberWidth(painter.font(), text) > rect.width()
                              ? metrics.elidedText(text, Qt::ElideMiddle, rect.width())
                              : text;
    const double baseline = rect.center().y() + (metrics.ascent() - metrics.descent()) / 2;
    const double x = align == Qt::AlignRight ? rect.right() : rect.left();
    drawNumber(painter, {x, baseline}, shown, align);
}

void drawFocus(QPainter& painter, const QRectF& rect, double radius)
{
    painter.setPen(QPen{Theme::current().color(Role::Accent), 2});
    painter.setBrush(Qt::NoBrush);
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

} // namespace

FileButton::FileButton(QString path, QWidget* parent)
    : QAbstractButton{parent}, m_path{std::move(path)}
{
    m_summary.name = fileText(QFileInfo{m_path}.fileName());
    setAccessibleName(m_summary.name);
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::TabFocus); // the ring is for those who come by key
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void FileButton::setSummary(const FileSummary& summary)
{
    m_summary = summary;
    setAccessibleName(summary.name);
    setAccessibleDescription(summary.kind);
    update();
}

FileCard::FileCard(QString path, QWidget* parent) : FileButton{std::move(path), parent}
{
    setMinimumWidth(Theme::current().px(kWidth)); // wider where the row has room
}

QSize FileCard::sizeHint() const
{
    return {Theme::current().px(kWidth), Theme::current().px(84)};
}

void FileCard::paintEvent(QPaintEvent* /*event*/)
{
    const Theme& theme = Theme::current();
    const auto px = [&](double length) { return static_cast<double>(theme.px(length)); };
    QPainter painter{this};
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF card = QRectF{rect()}.adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(QPen{theme.color(underMouse() ? Role::Accent : Role::Border), 1});
    painter.setBrush(theme.color(Role::Panel));
    painter.drawRoundedRect(card, px(8), px(8));
    if (hasFocus())
        drawFocus(painter, card, px(8));
    paintThumbnail(painter, QRectF{px(12), px(12), px(92), px(60)}, summary().thumbnail);
    const double left = px(116);
    const double inner = width() - left - px(12);
    double y = px(10);
    drawLine(painter, QRectF{left, y, inner, px(22)}, summary().name, TextRole::Lead, Role::Text);
    y += px(22);
    const QString kind = summary().fault.isEmpty() ? summary().kind : summary().fault;
    drawLine(painter, QRectF{left, y, inner, px(20)}, kind, TextRole::Body, Role::Muted);
    y += px(21);
    if (summary().peak) {
        const QString peak = bytesText(*summary().peak, Rounding::Up);
        drawLine(painter, QRectF{left, y, inner, px(22)}, peak, TextRole::Lead, Role::Text);
        const double after = numberWidth(theme.font(TextRole::Lead), peak) + px(8);
        drawLine(painter, QRectF{left + after, y, inner - after, px(22)}, tr("peak, unplanned"),
                 TextRole::Body, Role::Muted);
    }
}

FileRow::FileRow(QString path, QWidget* parent) : FileButton{std::move(path), parent}
{
    setToolTip(plainTip(fileText(this->path())));
}

QSize FileRow::sizeHint() const
{
    return {Theme::current().px(600), Theme::current().rowHeight(36)};
}

void FileRow::paintEvent(QPaintEvent* /*event*/)
{
    const Theme& theme = Theme::current();
    const auto px = [&](double length) { return static_cast<double>(theme.px(length)); };
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
    // Columns as shares of what lies right of the thumbnail.
    const double left = px(92);
    const double width = row.width() - left - px(14);
    const auto cell = [&](double from, double to) {
        return QRectF{left + width * from, 0, width * (to - from) - px(10), row.height()};
    };
    drawLine(painter, cell(0.0, 0.30), summary().name, TextRole::Body, ink);
    drawLine(painter, cell(0.30, 0.48), gone ? summary().fault : summary().kind, TextRole::Body,
             quiet);
    if (summary().peak) {
        QString peak = bytesText(*summary().peak, Rounding::Up);
        if (summary().planned)
            peak += QStringLiteral(" → ") + bytesText(*summary().planned, Rounding::Up);
        drawLine(painter, cell(0.48, 0.66), peak, TextRole::Body, ink, Qt::AlignRight);
    }
    drawLine(painter, cell(0.68, 0.86), summary().plan, TextRole::Body, quiet);
    drawLine(painter, QRectF{left + width * 0.86, 0, width * 0.14, row.height()}, dayText(path()),
             TextRole::Body, quiet, Qt::AlignRight);
}

void FileRow::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu{this};
    menu.addAction(tr("Remove From the List"), this, [this] { Q_EMIT removeRequested(path()); });
    menu.exec(event->globalPos());
}

DropZone::DropZone(QWidget* parent) : QWidget{parent}
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Drop a traced graph or a session here"));
}

void DropZone::setActive(bool active)
{
    m_active = active;
    update();
}

QSize DropZone::sizeHint() const
{
    return {Theme::current().px(600), Theme::current().px(64)};
}

void DropZone::paintEvent(QPaintEvent* /*event*/)
{
    const Theme& theme = Theme::current();
    const auto px = [&](double length) { return static_cast<double>(theme.px(length)); };
    QPainter painter{this};
    painter.setRenderHint(QPainter::Antialiasing);
    QPen pen{theme.color(m_active ? Role::Accent : Role::BorderStrong), m_active ? 2.0 : 1.0};
    if (!m_active)
        pen.setDashPattern({4, 3});
    painter.setPen(pen);
    painter.setBrush(theme.color(Role::Raised));
    painter.drawRoundedRect(QRectF{rect()}.adjusted(1, 1, -1, -1), px(6), px(6));
    drawIcon(painter, QRectF{px(24), (height() - px(20)) / 2, px(20), px(20)},
             QStringLiteral("drop"), theme.color(Role::Accent));
    const double left = px(62);
    const double inner = width() - left - px(12);
    drawLine(painter, QRectF{left, px(12), inner, px(20)},
             tr("Drop a traced graph or a session here"), TextRole::Strong, Role::Text);
    drawLine(painter, QRectF{left, px(32), inner, px(20)},
             tr("Traced step (.plimsoll.json, .plimsoll.json.gz), session (.plimsoll). Recognised "
                "by content, not by name."),
             TextRole::Body, Role::Muted);
}

ErrorBox::ErrorBox(QWidget* parent) : QWidget{parent}
{
    const Theme& theme = Theme::current();
    auto* row = new QHBoxLayout{this};
    row->setContentsMargins(theme.px(44), theme.px(14), theme.px(12), theme.px(14));
    auto* column = new QVBoxLayout;
    column->setSpacing(theme.px(6));
    m_first = new TextLabel{{}, TextRole::Lead, Role::Text, this};
    m_rest = new QLabel{this};
    m_rest->setWordWrap(true);
    m_rest->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_rest->setTextFormat(Qt::PlainText);
    column->addWidget(m_first);
    column->addWidget(m_rest);
    column->addWidget(
        new TextLabel{tr("Your open documents are unchanged."), TextRole::Body, Role::Muted, this});
    auto* buttons = makeRow(nullptr, 8);
    buttons->setContentsMargins(0, theme.px(6), 0, 0);
    auto* another = new QPushButton{tr("Choose another file…"), this};
    another->setProperty("primary", true);
    connect(another, &QPushButton::clicked, this, &ErrorBox::openRequested);
    auto* copy = new QPushButton{tr("Copy details"), this};
    connect(copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_details); });
    buttons->addWidget(another);
    buttons->addWidget(copy);
    buttons->addStretch(1);
    column->addLayout(buttons);
    row->addLayout(column, 1);
    auto* close = new QToolButton{this};
    close->setIcon(icon(QStringLiteral("close")));
    close->setAccessibleName(tr("Dismiss"));
    connect(close, &QToolButton::clicked, this, &ErrorBox::closed);
    row->addWidget(close, 0, Qt::AlignTop);
}

void ErrorBox::setError(const QString& first, const QString& rest, const QString& details)
{
    m_first->setText(first);
    m_rest->setText(rest);
    m_details = details;
    setAccessibleName(first);
    setAccessibleDescription(rest);
}

void ErrorBox::paintEvent(QPaintEvent* /*event*/)
{
    const Theme& theme = Theme::current();
    const auto px = [&](double length) { return static_cast<double>(theme.px(length)); };
    QPainter painter{this};
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen{theme.color(Role::Danger, 0.5), 1});
    painter.setBrush(theme.color(Role::DangerBg));
    painter.drawRoundedRect(QRectF{rect()}.adjusted(0.5, 0.5, -0.5, -0.5), px(6), px(6));
    painter.fillRect(QRectF{0, px(6), px(3), height() - px(12)}, theme.color(Role::Danger));
    drawIcon(painter, QRectF{px(17), px(15), px(16), px(16)}, QStringLiteral("error"),
             theme.color(Role::Danger));
}

} // namespace plimsoll::ui

// SPDX-License-Identifier: Apache-2.0
#include "app/gui/screenshot.h"

#include "ui/budget_timeline/budget_handle.h"
#include "ui/shell/main_window.h"

#include <QApplication>
#include <QMouseEvent>
#include <QPixmap>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace plimsoll::gui {

namespace {

constexpr std::chrono::milliseconds kPoll{100};
constexpr std::chrono::milliseconds kSettle{700}; ///< layouts, tables and start page thumbnails

bool isBusy(const ui::MainWindow& window)
{
    if (window.isOpening())
        return true;
    const std::vector<ui::DocumentPage*>& pages = window.pages();
    return !std::all_of(pages.begin(), pages.end(),
                        [](const ui::DocumentPage* page) { return page->isSettled(); });
}

void sendMouse(QWidget& widget, QEvent::Type type, const QPointF& pos)
{
    const bool moves = type == QEvent::MouseMove;
    QMouseEvent event{type,
                      pos,
                      widget.mapToGlobal(pos),
                      moves ? Qt::NoButton : Qt::LeftButton,
                      Qt::LeftButton,
                      Qt::NoModifier};
    QCoreApplication::sendEvent(&widget, &event);
}

/// Grabs the handle of the budget line and drags it up and back.
void beginDrag(ui::DocumentPage& page)
{
    // The handle covers the mark and the pill; mouse events pass through it to the view.
    const auto* mark = page.findChild<ui::BudgetHandle*>();
    if (mark == nullptr)
        return;
    QWidget& view = *mark->parentWidget();
    const QPointF handle{mark->geometry().center()};
    sendMouse(view, QEvent::MouseMove, handle);
    sendMouse(view, QEvent::MouseButtonPress, handle);
    for (const double dy : {-6.0, -12.0, -18.0})
        sendMouse(view, QEvent::MouseMove, handle + QPointF{0, dy});
}

void grab(ui::MainWindow& window, const QString& path)
{
    const bool written = window.grab().save(path);
    if (!written)
        std::fputs(qPrintable(QStringLiteral("plimsoll: %1 could not be written.\n").arg(path)),
                   stderr);
    QCoreApplication::exit(written ? 0 : 1);
}

} // namespace

void takeScreenshot(ui::MainWindow& window, const Arguments& arguments)
{
    auto* timer = new QTimer{&window};
    QObject::connect(timer, &QTimer::timeout, &window, [timer, &window, arguments] {
        if (isBusy(window))
            return;
        timer->stop();
        QTimer::singleShot(kSettle, &window, [&window, arguments] {
            if (arguments.drag && window.currentPage() != nullptr)
                beginDrag(*window.currentPage());
            QTimer::singleShot(kSettle, &window,
                               [&window, arguments] { grab(window, arguments.screenshot); });
        });
    });
    timer->start(kPoll);
}

} // namespace plimsoll::gui

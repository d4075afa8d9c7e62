// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/docks/late_work.h"

#include <QEvent>

#include <utility>

namespace plimsoll::ui {

namespace {
constexpr int kDelay = 40; ///< ms: the cursor moves faster than that
} // namespace

LateWork::LateWork(QWidget& page, std::function<void()> work)
    : QObject{&page}, m_page{page}, m_work{std::move(work)}
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(kDelay);
    connect(&m_timer, &QTimer::timeout, this, &LateWork::begin);
    page.installEventFilter(this);
}

void LateWork::want()
{
    m_isBegun = false;
    if (m_page.isVisible())
        m_timer.start();
}

void LateWork::begin()
{
    m_timer.stop();
    m_isBegun = true;
    m_work();
}

bool LateWork::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == &m_page && event->type() == QEvent::Show && !m_isBegun)
        begin();
    return false;
}

} // namespace plimsoll::ui

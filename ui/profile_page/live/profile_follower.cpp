// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/live/profile_follower.h"

#include "ui/profile_page/profile_controller.h"

#include <QGuiApplication>

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

namespace {
constexpr std::chrono::milliseconds kLeastRest{500}; ///< as the recorder writes
constexpr std::chrono::milliseconds kMouseRest{100};
constexpr int kRestFactor = 4;
} // namespace

ProfileFollower::ProfileFollower(ProfileController& controller, QObject* parent)
    : QObject{parent}, m_controller{controller}
{
    m_rest.setSingleShot(true);
    connect(&m_rest, &QTimer::timeout, this, [this] { m_held ? show() : readNow(); });
}

std::chrono::milliseconds ProfileFollower::restAfter(std::chrono::milliseconds reading)
{
    return std::max(kLeastRest, kRestFactor * reading);
}

void ProfileFollower::start()
{
    m_isLast = false;
    if (m_isFollowing)
        return;
    m_isFollowing = true;
    readNow();
    Q_EMIT stateChanged();
}

void ProfileFollower::finish()
{
    if (!m_isFollowing)
        return;
    m_isLast = true;
    m_rest.stop();
    m_held.reset();
    readNow(); // what is being read may lack the end
}

void ProfileFollower::stop()
{
    m_rest.stop();
    m_reader.stop();
    m_held.reset();
    m_fault.clear();
    if (!std::exchange(m_isFollowing, false))
        return;
    m_controller.keepContent();
    Q_EMIT stateChanged();
}

void ProfileFollower::readNow()
{
    m_clock.start();
    const workspace::ProfileDocument& document = m_controller.document();
    m_reader.start(
        [path = document.origin(), last = m_stamp,
         settings = document.settings](const base::JobContext& job) {
            return workspace::readAgain(path, last, settings, job);
        },
        [this](base::Result<workspace::ProfileReading> reading) { take(std::move(reading)); });
}

void ProfileFollower::take(base::Result<workspace::ProfileReading> reading)
{
    if (!m_isFollowing)
        return; // stopped
    m_took = std::chrono::milliseconds{m_clock.elapsed()};
    const QString fault = reading ? QString{} : QString::fromStdString(reading.error().message);
    if (fault != m_fault) {
        m_fault = fault;
        Q_EMIT stateChanged();
    }
    if (!reading || reading->trace == nullptr) {
        goOn();
        return;
    }
    m_held = *std::move(reading);
    show();
}

void ProfileFollower::show()
{
    // Nothing moves under a pressed mouse button.
    if (QGuiApplication::mouseButtons() != Qt::NoButton) {
        m_rest.start(kMouseRest);
        return;
    }
    m_stamp = m_held->stamp;
    m_controller.take(*std::exchange(m_held, std::nullopt));
    goOn();
}

void ProfileFollower::goOn()
{
    if (m_isLast)
        stop();
    else
        m_rest.start(restAfter(m_took));
}

} // namespace plimsoll::ui

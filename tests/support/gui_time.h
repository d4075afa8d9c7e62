// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QTimer>

#include <algorithm>
#include <ctime>

namespace plimsoll::tests {

/// The processor time, in milliseconds, that the window's thread may spend on one thing: far less
/// than any solve takes, with room for repainting the whole window in slow builds.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr double kFreeze = 1000;
#elif defined(NDEBUG)
inline constexpr double kFreeze = 100; // the aim is 50, which a busy core misses by chance
#else
inline constexpr double kFreeze = 150;
#endif

/// How long the window's thread worked without running its timers, as its own processor time, so
/// that other load doesn't count. Starts at construction.
class GuiTime
{
public:
    GuiTime() : m_last{used()}
    {
        m_beat.setTimerType(Qt::PreciseTimer);
        QObject::connect(&m_beat, &QTimer::timeout, &m_beat, [this] {
            const double now = used();
            m_longest = std::max(m_longest, now - m_last);
            m_last = now;
        });
        m_beat.start(2);
    }

    /// Milliseconds.
    [[nodiscard]] double longest() const { return m_longest; }

private:
    static double used()
    {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
    }

    QTimer m_beat;
    double m_last = 0;
    double m_longest = 0;
};

} // namespace plimsoll::tests

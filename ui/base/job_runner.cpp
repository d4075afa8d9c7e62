// SPDX-License-Identifier: Apache-2.0
#include "ui/base/job_runner.h"

#include <QMetaObject>
#include <QPointer>

#include <algorithm>
#include <chrono>

namespace plimsoll::ui {

namespace {
constexpr std::chrono::milliseconds kPollInterval{50};
} // namespace

JobRunnerBase::JobRunnerBase(QObject* parent) : QObject{parent}
{
    m_timer.setInterval(kPollInterval);
    connect(&m_timer, &QTimer::timeout, this, &JobRunnerBase::poll);
}

JobRunnerBase::~JobRunnerBase()
{
    shutDown();
}

void JobRunnerBase::stop()
{
    if (m_current)
        m_current->thread.request_stop();
}

void JobRunnerBase::launch(std::function<std::function<void()>(const base::JobContext&)> body)
{
    const bool wasRunning = isRunning();
    if (m_current) {
        m_current->thread.request_stop();
        m_retired.push_back(std::move(m_current));
    }
    m_current = std::make_unique<Run>();
    m_lastProgress = -1;
    Run* run = m_current.get();
    // The runner outlives the thread: shutDown() joins it before any member is destroyed.
    run->thread = std::jthread{[this, run, work = std::move(body)](const std::stop_token& stop) {
        run->deliver =
            work(base::JobContext{.stop = stop, .progress = &run->progress, .curve = &run->curve});
        QMetaObject::invokeMethod(
            this, [this, run] { finished(run); }, Qt::QueuedConnection);
    }};
    m_timer.start();
    if (!wasRunning)
        Q_EMIT runningChanged(true);
}

void JobRunnerBase::finished(Run* run)
{
    if (m_current.get() != run) {
        std::erase_if(m_retired,
                      [run](const std::unique_ptr<Run>& retired) { return retired.get() == run; });
        if (isIdle())
            Q_EMIT idle();
        return;
    }
    // Free the slot before notifying the owner, who may start the next run at once.
    const std::unique_ptr<Run> over = std::move(m_current);
    over->thread.join();
    m_timer.stop();
    const std::function<void()> deliver = std::move(over->deliver);
    Q_EMIT runningChanged(false);
    const QPointer<JobRunnerBase> self{this}; // a receiver of the result may delete the runner
    deliver();
    if (self && isIdle())
        Q_EMIT idle();
}

void JobRunnerBase::poll()
{
    if (!m_current)
        return;
    const int perMille = m_current->progress.perMille();
    if (perMille == m_lastProgress)
        return;
    m_lastProgress = perMille;
    Q_EMIT progressed(perMille);
}

void JobRunnerBase::shutDown()
{
    m_timer.stop();
    if (m_current) {
        m_current->thread.request_stop();
        m_retired.push_back(std::move(m_current));
    }
    // Joins the thread; queued results are dropped with this object.
    for (const std::unique_ptr<Run>& run : m_retired)
        run->thread.request_stop();
    m_retired.clear();
}

} // namespace plimsoll::ui

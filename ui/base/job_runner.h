// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/curve_so_far.h"
#include "core/base/job_context.h"
#include "core/base/result.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace plimsoll::ui {

/// The shared part of all JobRunners: threads, progress polling and delivery on the GUI thread.
class JobRunnerBase : public QObject
{
    Q_OBJECT

public:
    ~JobRunnerBase() override;

    /// Asks the current run to stop; it still delivers what it returns, normally Error{Cancelled}.
    void stop();
    /// Whether a run has been started and not yet delivered.
    [[nodiscard]] bool isRunning() const { return m_current != nullptr; }
    /// Whether no thread is left, including superseded ones: destruction then waits for nothing.
    [[nodiscard]] bool isIdle() const { return m_current == nullptr && m_retired.empty(); }

    /// Of the current run.
    [[nodiscard]] int perMille() const { return m_current ? m_current->progress.perMille() : 0; }
    /// What the current run has told of its result.
    [[nodiscard]] std::optional<base::CurveSoFar::Curve> curveSoFar() const
    {
        return m_current ? m_current->curve.longest() : std::nullopt;
    }

Q_SIGNALS:
    /// Per mille of the current run, polled every 50 ms, only when it changed.
    void progressed(int perMille);
    void runningChanged(bool running);
    /// Emitted when the last thread has ended.
    void idle();

protected:
    explicit JobRunnerBase(QObject* parent);

    /// One run of a worker. The GUI thread must not read it before the worker is done.
    struct Run
    {
        base::Progress progress;
        base::CurveSoFar curve;
        std::function<void()> deliver; ///< written by the worker
        std::jthread thread;
    };
    /// `body` runs on a new thread and returns what to call on the GUI thread.
    void launch(std::function<std::function<void()>(const base::JobContext&)> body);
    /// Stops and waits for every run; the derived destructor must call it first.
    void shutDown();

private:
    void finished(Run* run);
    void poll();

    std::unique_ptr<Run> m_current;
    std::vector<std::unique_ptr<Run>> m_retired; ///< stopped, still running
    QTimer m_timer;
    int m_lastProgress = -1;
};

/// A slot for one kind of work (load, solve, write). Starting again stops the previous run; only
/// the newest run delivers its result, on the GUI thread. Destruction stops and waits, so the work
/// may refer to the owner of the runner.
template <typename T>
class JobRunner : public JobRunnerBase
{
public:
    using Work = std::function<base::Result<T>(const base::JobContext&)>;
    using Done = std::function<void(base::Result<T>)>;

    explicit JobRunner(QObject* parent = nullptr) : JobRunnerBase{parent} {}
    ~JobRunner() override { shutDown(); }

    /// Runs `work` on a thread of its own and then `done` on the GUI thread, unless a newer run was
    /// started in between.
    void start(Work work, Done done)
    {
        launch([task = std::move(work), then = std::move(done)](const base::JobContext& context) {
            auto result = std::make_shared<base::Result<T>>(task(context));
            return std::function<void()>{[result, then] { then(std::move(*result)); }};
        });
    }
};

} // namespace plimsoll::ui

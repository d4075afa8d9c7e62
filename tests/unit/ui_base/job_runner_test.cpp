// SPDX-License-Identifier: Apache-2.0
#include "ui/base/job_runner.h"

#include "tests/support/test_main.h"

#include <QSignalSpy>
#include <QTest>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace {

using plimsoll::base::JobContext;
using plimsoll::base::Result;
using plimsoll::ui::JobRunner;
using namespace std::chrono_literals;

/// Works until it is stopped.
Result<int> untilStopped(const JobContext& context)
{
    while (!context.stopRequested())
        std::this_thread::sleep_for(1ms);
    return plimsoll::base::cancelled();
}

class JobRunnerTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void deliversOnTheGuiThread();
    void deliversOnlyTheNewest();
    void deliversCancelledWhenStopped();
    void reportsProgress();
    void mayStartAgainFromItsOwnResult();
    void waitsWhenDestroyedWhileRunning();
};

void JobRunnerTest::deliversOnTheGuiThread()
{
    JobRunner<int> runner;
    const QSignalSpy running{&runner, &JobRunner<int>::runningChanged};
    int value = 0;
    QThread* thread = nullptr;
    runner.start([](const JobContext&) { return Result<int>{42}; },
                 [&](Result<int> result) {
                     value = *result;
                     thread = QThread::currentThread();
                 });
    QVERIFY(runner.isRunning());
    QTRY_COMPARE(value, 42);
    QCOMPARE(thread, QThread::currentThread());
    QVERIFY(!runner.isRunning());
    QCOMPARE(running.size(), 2);
}

void JobRunnerTest::deliversOnlyTheNewest()
{
    JobRunner<int> runner;
    QList<int> values;
    for (int i = 0; i < 20; ++i)
        runner.start([i](const JobContext&) { return Result<int>{i}; },
                     [&](Result<int> result) { values.append(*result); });
    QTRY_VERIFY(!runner.isRunning());
    QTest::qWait(20);
    QCOMPARE(values, QList<int>{19});
}

void JobRunnerTest::deliversCancelledWhenStopped()
{
    JobRunner<int> runner;
    std::optional<plimsoll::base::ErrorKind> kind;
    runner.start(untilStopped, [&](Result<int> result) { kind = result.error().kind; });
    QTest::qWait(10);
    QVERIFY(!kind.has_value());
    runner.stop();
    QTRY_VERIFY(kind.has_value());
    QCOMPARE(*kind, plimsoll::base::ErrorKind::Cancelled);
}

void JobRunnerTest::reportsProgress()
{
    JobRunner<int> runner;
    const QSignalSpy progress{&runner, &JobRunner<int>::progressed};
    runner.start(
        [](const JobContext& context) {
            context.report(470, 1000);
            return untilStopped(context);
        },
        [](const Result<int>&) {});
    QTRY_VERIFY(!progress.isEmpty());
    QCOMPARE(progress.back().front().toInt(), 470);
}

void JobRunnerTest::mayStartAgainFromItsOwnResult()
{
    JobRunner<int> runner;
    int sum = 0;
    std::function<void(Result<int>)> done = [&](Result<int> result) {
        sum += *result;
        if (sum < 5)
            runner.start([](const JobContext&) { return Result<int>{1}; }, done);
    };
    runner.start([](const JobContext&) { return Result<int>{1}; }, done);
    QTRY_COMPARE(sum, 5);
}

void JobRunnerTest::waitsWhenDestroyedWhileRunning()
{
    std::atomic<int> alive = 0;
    bool delivered = false;
    for (int round = 0; round < 50; ++round) {
        auto runner = std::make_unique<JobRunner<int>>();
        for (int i = 0; i < 3; ++i)
            runner->start(
                [&alive](const JobContext& context) {
                    ++alive;
                    const Result<int> result = untilStopped(context);
                    --alive;
                    return result;
                },
                [&](const Result<int>&) { delivered = true; });
        if (round % 3 == 0)
            std::this_thread::sleep_for(1ms);
        runner.reset();
        QCOMPARE(alive.load(), 0);
    }
    QTest::qWait(5);
    QVERIFY(!delivered);
}

} // namespace

PLIMSOLL_TEST(JobRunnerTest, QCoreApplication)
#include "job_runner_test.moc"

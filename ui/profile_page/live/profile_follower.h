// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_reading.h"
#include "ui/base/job_runner.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <chrono>
#include <optional>

namespace plimsoll::ui {

class ProfileController;

/// Reads a profile's file again whenever it was written, off the GUI thread, and has the
/// controller show it. After each reading it waits several times as long as that took, so that a
/// large file doesn't keep a core busy.
class ProfileFollower : public QObject
{
    Q_OBJECT

public:
    /// The controller must outlive it.
    explicit ProfileFollower(ProfileController& controller, QObject* parent = nullptr);

    void start();
    /// Reads what was written last, then stops.
    void finish();
    void stop();
    [[nodiscard]] bool isFollowing() const { return m_isFollowing; }
    /// What prevents reading; empty: nothing.
    [[nodiscard]] const QString& fault() const { return m_fault; }
    [[nodiscard]] JobRunnerBase& job() { return m_reader; }
    [[nodiscard]] const JobRunnerBase& job() const { return m_reader; }
    /// The rest between two readings of a file that takes so long to read.
    [[nodiscard]] static std::chrono::milliseconds restAfter(std::chrono::milliseconds reading);

Q_SIGNALS:
    /// It follows or stops, or reading fails or succeeds again.
    void stateChanged();

private:
    void readNow();
    void take(base::Result<workspace::ProfileReading> reading);
    void show();
    void goOn();

    ProfileController& m_controller;
    bool m_isFollowing = false;
    bool m_isLast = false; ///< nothing more is written
    QString m_fault;
    workspace::FileStamp m_stamp;
    QElapsedTimer m_clock; ///< since the reading began
    std::chrono::milliseconds m_took{};
    std::optional<workspace::ProfileReading> m_held; ///< until no mouse button is down
    QTimer m_rest;
    JobRunner<workspace::ProfileReading> m_reader;
};

} // namespace plimsoll::ui

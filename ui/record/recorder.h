// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/record/launch.h"
#include "ui/base/job_runner.h"
#include "ui/record/recorded_process.h"

#include <QStringList>

#include <memory>

namespace plimsoll::ui {

/// Runs programs and records them, one at a time; finds their recordings as soon as these have
/// something to show.
class Recorder : public QObject
{
    Q_OBJECT

public:
    explicit Recorder(QObject* parent = nullptr);
    ~Recorder() override;

    /// What prevents recording on this computer, a sentence; empty: nothing that is known.
    [[nodiscard]] static QString missingPart();

    /// Nothing: it runs. Requires that none runs.
    [[nodiscard]] std::optional<LaunchFault> start(const LaunchSpec& spec);
    /// Until the recording of the program is complete.
    [[nodiscard]] bool isRunning() const { return m_isRunning; }
    void stop();
    [[nodiscard]] bool isStopping() const { return m_process && m_process->isStopping(); }
    /// The program's command; of the last one if none runs.
    [[nodiscard]] const QString& command() const { return m_command; }
    /// How long the program has run, or ran last.
    [[nodiscard]] QString clock() const;
    /// Whether that file is the recording that was found first.
    [[nodiscard]] bool records(const QString& file) const;
    /// How the last run ended, and what the user should know of its recording.
    [[nodiscard]] const QString& endSentence() const { return m_end; }
    /// Without an exit code, or because it was stopped.
    [[nodiscard]] bool hasEndedWell() const { return m_process && m_process->hasEndedWell(); }
    [[nodiscard]] const QStringList& warnings() const { return m_warnings; }

Q_SIGNALS:
    void outputAdded(const QString& text);
    /// A file to open: the recording, and PyTorch's snapshot at the end.
    void found(const QString& file);
    /// A program was started, is being stopped, or has ended.
    void stateChanged();
    void ended();

private:
    /// What there is of a run's files.
    struct Files
    {
        std::filesystem::path first; ///< with memory to show; empty: none yet
        std::filesystem::path snapshot;
        std::vector<std::string> warnings; ///< at the end only
    };
    [[nodiscard]] static base::Result<Files>
    lookFor(const std::filesystem::path& file, std::uint64_t run, bool wantsSnapshot, bool isLast);
    void look();
    void take(const Files& files);

    std::unique_ptr<record::Launch> m_launch;
    std::unique_ptr<RecordedProcess> m_process;
    bool m_isRunning = false;
    bool m_wantsSnapshot = false;
    QString m_command;
    QString m_found; ///< canonical path
    QString m_end;
    QStringList m_warnings;
    QTimer m_rest; ///< before looking again
    JobRunner<Files> m_finder;
};

} // namespace plimsoll::ui

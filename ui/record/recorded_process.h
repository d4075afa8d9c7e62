// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/capture/launch.h"
#include "ui/record/launch_spec.h"

#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QStringDecoder>
#include <QTimer>

#include <vector>

namespace plimsoll::ui {

/// A program that runs under the recorder, in a process group of its own, so that what it starts is
/// stopped with it. It has no input; its output and its errors are one text.
class RecordedProcess : public QObject
{
    Q_OBJECT

public:
    RecordedProcess(const LaunchParts& parts, const std::vector<capture::Variable>& variables,
                    QObject* parent = nullptr);
    /// Ends the program.
    ~RecordedProcess() override;

    void start();
    [[nodiscard]] bool isRunning() const { return m_process.state() != QProcess::NotRunning; }
    /// Interrupts it as Ctrl+C does; if it goes on, or if this is called again, ends it with the
    /// next stronger signal.
    void stop();
    [[nodiscard]] bool isStopping() const { return m_stage > 0; }
    /// Of the run so far.
    [[nodiscard]] qint64 milliseconds() const { return isRunning() ? m_clock.elapsed() : m_took; }
    /// "The program ended with exit code 3 after 1:23."; of one that has ended.
    [[nodiscard]] QString endSentence() const;
    [[nodiscard]] bool hasEndedWell() const
    {
        return isStopping()
               || (m_process.error() == QProcess::UnknownError && m_process.exitCode() == 0);
    }

Q_SIGNALS:
    void outputAdded(const QString& text);
    void ended();

private:
    void signalGroup(int signal);
    void read();
    void finish();

    QProcess m_process;
    QStringDecoder m_decoder{QStringDecoder::Utf8}; ///< a character may come in two parts
    qint64 m_pid = 0;
    QElapsedTimer m_clock;
    qint64 m_took = 0;
    int m_stage = 0; ///< signals sent
    QTimer m_patience;
};

/// "0:07", "1:02:33".
[[nodiscard]] QString clockText(qint64 milliseconds);

} // namespace plimsoll::ui

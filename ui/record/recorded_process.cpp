// SPDX-License-Identifier: Apache-2.0
#include "ui/record/recorded_process.h"

#include "ui/base/texts.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <unistd.h>

namespace plimsoll::ui {

namespace {

struct Stage
{
    int signal;
    std::chrono::seconds patience; ///< before the next one; the recorder may need ten to finish
};
constexpr std::array<Stage, 3> kStages{{{SIGINT, std::chrono::seconds{8}},
                                        {SIGTERM, std::chrono::seconds{12}},
                                        {SIGKILL, std::chrono::seconds{60}}}};
constexpr int kLastPatience = 2000; ///< ms, when the window goes

/// The recorder knows by PLIMSOLL_CAPTURE_PID which of the processes is the program itself.
const auto kShellScript =
    QStringLiteral("PLIMSOLL_CAPTURE_PID=$$; export PLIMSOLL_CAPTURE_PID; exec \"$@\"");

} // namespace

RecordedProcess::RecordedProcess(const LaunchParts& parts,
                                 const std::vector<capture::Variable>& variables, QObject* parent)
    : QObject{parent}
{
    QProcessEnvironment environment = parts.environment;
    for (const capture::Variable& variable : variables)
        environment.insert(QString::fromStdString(variable.name),
                           QString::fromStdString(variable.value));
    m_process.setProcessEnvironment(environment);
    m_process.setWorkingDirectory(parts.folder);
    m_process.setProcessChannelMode(QProcess::MergedChannels);
    m_process.setStandardInputFile(QProcess::nullDevice());
    // An ignored Ctrl+C would be inherited, and Stop would not reach the program.
    m_process.setChildProcessModifier([] {
        (void)::setpgid(0, 0);
        for (const int signal : {SIGINT, SIGTERM, SIGPIPE})
            (void)::signal(signal, SIG_DFL);
    });
    m_process.setProgram(QStringLiteral("/bin/sh"));
    m_process.setArguments(
        QStringList{QStringLiteral("-c"), kShellScript, QStringLiteral("sh"), parts.program}
        + parts.arguments);
    m_patience.setSingleShot(true);
    connect(&m_patience, &QTimer::timeout, this, &RecordedProcess::stop);
    connect(&m_process, &QProcess::readyRead, this, &RecordedProcess::read);
    connect(&m_process, &QProcess::finished, this, &RecordedProcess::finish);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            finish();
    });
}

RecordedProcess::~RecordedProcess()
{
    m_process.disconnect(this);
    if (!isRunning())
        return;
    for (const Stage& stage : kStages) {
        signalGroup(stage.signal);
        if (m_process.waitForFinished(kLastPatience))
            return;
    }
}

void RecordedProcess::start()
{
    m_clock.start();
    m_process.start();
    m_pid = m_process.processId();
}

void RecordedProcess::signalGroup(int signal)
{
    if (m_pid > 0)
        (void)::kill(static_cast<pid_t>(-m_pid), signal);
}

void RecordedProcess::stop()
{
    if (!isRunning())
        return;
    const auto at = std::min(static_cast<std::size_t>(m_stage), kStages.size() - 1);
    ++m_stage;
    signalGroup(kStages.at(at).signal);
    m_patience.start(kStages.at(at).patience);
}

void RecordedProcess::read()
{
    const QString text = m_decoder.decode(m_process.readAll());
    if (!text.isEmpty())
        Q_EMIT outputAdded(text);
}

void RecordedProcess::finish()
{
    m_patience.stop();
    m_took = m_clock.elapsed();
    read();
    Q_EMIT ended();
}

QString RecordedProcess::endSentence() const
{
    const QString time = clockText(m_took);
    if (m_process.error() == QProcess::FailedToStart)
        return tr("The program could not be started (%1).").arg(fileText(m_process.errorString()));
    if (m_process.exitStatus() == QProcess::CrashExit)
        return isStopping() ? tr("The program was stopped after %1.").arg(time)
                            : tr("The program was ended by signal %1 after %2.")
                                  .arg(m_process.exitCode())
                                  .arg(time);
    if (m_process.exitCode() == 0)
        return tr("The program ended after %1.").arg(time);
    return tr("The program ended with exit code %1 after %2.").arg(m_process.exitCode()).arg(time);
}

QString clockText(qint64 milliseconds)
{
    const qint64 seconds = milliseconds / 1000;
    const QString rest = QStringLiteral("%1").arg(seconds % 60, 2, 10, QLatin1Char{'0'});
    const qint64 minutes = seconds / 60;
    if (minutes < 60)
        return QString::number(minutes) + u':' + rest;
    return QStringLiteral("%1:%2:").arg(minutes / 60).arg(minutes % 60, 2, 10, QLatin1Char{'0'})
           + rest;
}

} // namespace plimsoll::ui

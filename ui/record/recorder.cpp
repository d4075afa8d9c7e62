// SPDX-License-Identifier: Apache-2.0
#include "ui/record/recorder.h"

#include "core/io/input.h"
#include "core/readers/registry.h"
#include "core/record/recording.h"
#include "core/record/warnings.h"
#include "ui/base/texts.h"

#include <QFileInfo>

#include <chrono>

namespace plimsoll::ui {

namespace {

constexpr std::chrono::milliseconds kRest{300};

/// Whether a file holds memory that can be shown: of a GPU, while more may come.
bool hasMemory(const std::filesystem::path& file, bool isLast)
{
    const base::Result<readers::ReadProfile> profile = readers::readProfile(io::Source{file});
    return profile && (isLast || profile->trace->devices().front().ordinal() >= 0);
}

} // namespace

Recorder::Recorder(QObject* parent) : QObject{parent}
{
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRest);
    connect(&m_rest, &QTimer::timeout, this, &Recorder::look);
}

Recorder::~Recorder() = default;

QString Recorder::missingPart()
{
    if (const auto request = record::launchRequest({}, 0); !request)
        return QString::fromStdString(request.error().message);
    // A program may still bring a driver of its own, so that this is no reason not to start it.
    if (!QFileInfo::exists(QStringLiteral("/proc/driver/nvidia/version"))
        && !QFileInfo::exists(QStringLiteral("/dev/dxg")))
        return tr("NVIDIA's driver was not found on this computer; without it nothing is "
                  "recorded.");
    return {};
}

std::optional<LaunchFault> Recorder::start(const LaunchSpec& spec)
{
    LaunchFault fault;
    const std::optional<LaunchParts> parts = partsOf(spec, fault);
    if (!parts)
        return fault;
    const auto variable = [&parts](const std::string& name) -> std::optional<std::string> {
        const QString wanted = QString::fromStdString(name);
        if (!parts->environment.contains(wanted))
            return std::nullopt;
        return parts->environment.value(wanted).toStdString();
    };
    base::Result<record::Launch> launch =
        record::prepareLaunch({.output = spec.output.trimmed().toStdString(),
                               .folder = parts->folder.toStdString(),
                               .existing = record::Existing::Refuse,
                               .tensors = spec.tensors,
                               .snapshot = spec.snapshot,
                               .outputOption = {}},
                              variable);
    if (!launch)
        return LaunchFault{launch.error().kind == base::ErrorKind::Usage ? LaunchField::Environment
                                                                         : LaunchField::Output,
                           QString::fromStdString(launch.error().message)};
    m_process = std::make_unique<RecordedProcess>(*parts, launch->variables);
    m_launch = std::make_unique<record::Launch>(*std::move(launch));
    m_wantsSnapshot = spec.snapshot;
    m_command = spec.command.simplified();
    m_found.clear();
    m_end.clear();
    m_warnings.clear();
    m_isRunning = true;
    connect(m_process.get(), &RecordedProcess::outputAdded, this, &Recorder::outputAdded);
    connect(m_process.get(), &RecordedProcess::ended, this, &Recorder::look);
    m_rest.start();
    m_process->start();
    Q_EMIT stateChanged();
    return std::nullopt;
}

void Recorder::stop()
{
    if (!m_process || !m_process->isRunning())
        return;
    m_process->stop();
    Q_EMIT stateChanged();
}

QString Recorder::clock() const
{
    return clockText(m_process ? m_process->milliseconds() : 0);
}

bool Recorder::records(const QString& file) const
{
    return !m_found.isEmpty() && QFileInfo{file}.canonicalFilePath() == m_found;
}

base::Result<Recorder::Files> Recorder::lookFor(const std::filesystem::path& file,
                                                std::uint64_t run, bool wantsSnapshot, bool isLast)
{
    Files files;
    const std::vector<std::filesystem::path> all = capture::filesOfRun(file, run);
    for (const std::filesystem::path& each : all)
        if (files.first.empty() && hasMemory(each, isLast))
            files.first = each;
    if (!isLast)
        return files;
    for (const std::filesystem::path& each : all) {
        const base::Result<capture::Capture> capture = record::readCapture(each);
        const std::vector<std::string> warnings =
            capture ? record::warningsOf(each, *capture)
                    : std::vector<std::string>{capture.error().message};
        files.warnings.insert(files.warnings.end(), warnings.begin(), warnings.end());
    }
    if (all.empty())
        files.warnings.emplace_back(record::kNothingRecorded);
    if (!wantsSnapshot)
        return files;
    if (base::Result<std::filesystem::path> snapshot = record::snapshotBeside(file))
        files.snapshot = *std::move(snapshot);
    else
        files.warnings.push_back(snapshot.error().message);
    return files;
}

void Recorder::look()
{
    const bool isLast = !m_process->isRunning();
    m_rest.stop();
    m_finder.start(
        [file = m_launch->target.file, run = m_launch->run, wantsSnapshot = m_wantsSnapshot,
         isLast](const base::JobContext&) { return lookFor(file, run, wantsSnapshot, isLast); },
        [this, isLast](const base::Result<Files>& files) {
            take(*files);
            if (!isLast) {
                if (m_found.isEmpty())
                    m_rest.start();
                return;
            }
            m_isRunning = false;
            m_end = m_process->endSentence();
            for (const std::string& warning : files->warnings)
                m_warnings << fileText(warning);
            m_launch.reset();
            Q_EMIT stateChanged();
            Q_EMIT ended();
        });
}

void Recorder::take(const Files& files)
{
    if (m_found.isEmpty() && !files.first.empty()) {
        m_found = QFileInfo{QString::fromStdString(files.first.string())}.canonicalFilePath();
        Q_EMIT found(m_found);
    }
    // Beside a recording with memory it is part of that document, which is read again.
    if (!files.snapshot.empty() && m_found.isEmpty())
        Q_EMIT found(QString::fromStdString(files.snapshot.string()));
}

} // namespace plimsoll::ui

// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/live/profile_live.h"

#include "ui/base/numbers.h"
#include "ui/profile_page/live/alarm.h"
#include "ui/profile_page/profile_controller.h"
#include "ui/profile_page/profile_texts.h"
#include "ui/record/recorder.h"

#include <chrono>
#include <utility>

namespace plimsoll::ui {

namespace {

const auto kAlarm = QStringLiteral("alarm");
const auto kFault = QStringLiteral("follow");
const auto kEnd = QStringLiteral("recorded");

/// " · 12 records lost"; empty: none.
QString lostText(const memtrace::MemoryTrace& trace)
{
    const auto lost = trace.statistics().find("lost_records");
    if (lost == trace.statistics().end())
        return {};
    return lost->second == 1 ? ProfileLive::tr(" · 1 record lost")
                             : ProfileLive::tr(" · %1 records lost").arg(countText(lost->second));
}

} // namespace

ProfileLive::ProfileLive(DocumentPage& page, ProfileController& controller,
                         std::shared_ptr<Recorder> recorder)
    : m_page{page}
    , m_controller{controller}
    , m_recorder{std::move(recorder)}
    , m_follower{controller}
{
    m_second.setInterval(std::chrono::seconds{1});
    connect(&m_second, &QTimer::timeout, &m_page, &DocumentPage::stateChanged);
    connect(&m_follower, &ProfileFollower::stateChanged, this, [this] {
        tellFault();
        Q_EMIT stateChanged();
    });
    if (m_recorder == nullptr)
        return;
    connect(m_recorder.get(), &Recorder::stateChanged, this, &ProfileLive::stateChanged);
    connect(m_recorder.get(), &Recorder::ended, this, &ProfileLive::end);
}

bool ProfileLive::isOurs() const
{
    return m_recorder != nullptr
           && m_recorder->records(
               QString::fromStdString(m_controller.document().origin().string()));
}

bool ProfileLive::isRecording() const
{
    return m_second.isActive() && m_recorder->isRunning();
}

void ProfileLive::begin()
{
    if (!isOurs())
        return;
    m_follower.start();
    m_second.start();
    if (!m_recorder->isRunning())
        end(); // while the page was made
}

void ProfileLive::follow(bool on)
{
    on ? m_follower.start() : m_follower.stop();
}

void ProfileLive::stopProgram()
{
    if (isRecording())
        m_recorder->stop();
}

void ProfileLive::end()
{
    if (!m_second.isActive())
        return; // another page's
    m_second.stop();
    m_follower.finish();
    if (m_recorder->warnings().isEmpty() && m_recorder->hasEndedWell())
        Q_EMIT m_page.noted(m_recorder->endSentence());
    else
        m_page.strip().post({kEnd,
                             MessageKind::Warn,
                             m_recorder->endSentence(),
                             m_recorder->warnings().join(u' '),
                             {}});
    Q_EMIT stateChanged();
}

void ProfileLive::tellFault()
{
    if (m_follower.fault().isEmpty())
        m_page.strip().withdraw(kFault);
    else
        m_page.strip().post({kFault,
                             MessageKind::Warn,
                             tr("The file can't be read at present."),
                             m_follower.fault(),
                             {}});
}

std::optional<StatusText> ProfileLive::status() const
{
    const QString lost = lostText(*m_controller.document().trace);
    if (isRecording())
        return StatusText{m_recorder->isStopping()
                              ? tr("Stopping the program · %1").arg(m_recorder->clock()) + lost
                              : tr("Recording · %1").arg(m_recorder->clock()) + lost,
                          QStringLiteral("record"), false};
    if (isFollowing())
        return StatusText{tr("Following the file") + lost, QStringLiteral("clock"), false};
    return std::nullopt;
}

void ProfileLive::watchAlarm()
{
    const std::optional<base::Bytes> alarm = m_controller.document().alarm;
    const workspace::ProfilePicture& picture = *m_controller.picture();
    const auto crossing = alarm ? crossingOf(picture, *alarm) : std::nullopt;
    if (!crossing) {
        m_told.reset();
        m_page.strip().withdraw(kAlarm);
        return;
    }
    if (m_told == alarm)
        return; // the user may have dismissed it
    m_told = alarm;
    m_page.strip().post({kAlarm,
                         MessageKind::Warn,
                         tr("Memory exceeded the alarm of %1.").arg(bytesText(*alarm)),
                         tr("First at %1, with %2 (%3).")
                             .arg(stepText(picture, crossing->step), bytesText(crossing->bytes),
                                  bytesDifferenceText(crossing->bytes - *alarm)),
                         {}});
}

} // namespace plimsoll::ui

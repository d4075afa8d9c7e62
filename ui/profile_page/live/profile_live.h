// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/document_page/document_page.h"
#include "ui/profile_page/live/profile_follower.h"

#include <QTimer>

#include <memory>
#include <optional>

namespace plimsoll::ui {

class Recorder;

/// What of a profile page is live: follows a file that is being written, tells of the program that
/// is recorded, and watches the alarm.
class ProfileLive : public QObject
{
    Q_OBJECT

public:
    /// `recorder` may be null. The page, which shows the controller's document, must outlive it.
    ProfileLive(DocumentPage& page, ProfileController& controller,
                std::shared_ptr<Recorder> recorder);

    /// Begins to follow if the page's file is what the recorder records.
    void begin();
    void follow(bool on);
    [[nodiscard]] bool isFollowing() const { return m_follower.isFollowing(); }
    /// Whether the page's file runs with a program of ours.
    [[nodiscard]] bool isRecording() const;
    void stopProgram();
    /// None: nothing is live.
    [[nodiscard]] std::optional<StatusText> status() const;
    /// Another picture or another alarm: tells where it is exceeded.
    void watchAlarm();
    [[nodiscard]] ProfileFollower& follower() { return m_follower; }
    [[nodiscard]] const ProfileFollower& follower() const { return m_follower; }

Q_SIGNALS:
    void stateChanged();
    /// The user wants to type one.
    void alarmFieldWanted();

private:
    [[nodiscard]] bool isOurs() const;
    void end();
    void tellFault();

    DocumentPage& m_page;
    ProfileController& m_controller;
    std::shared_ptr<Recorder> m_recorder;
    ProfileFollower m_follower;
    QTimer m_second;
    std::optional<base::Bytes> m_told; ///< the alarm that was exceeded
};

} // namespace plimsoll::ui

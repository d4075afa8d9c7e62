// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/compare/step_times.h"
#include "ui/base/job_runner.h"
#include "ui/base/settings.h"

#include <QObject>
#include <QStringList>

namespace plimsoll::ui {

class DocumentController;
class DocumentPage;

/// Lets the user plan with times of ops that a profile has, and go back to modelled ones. Profiles
/// are read off the GUI thread.
class TimesChooser : public QObject
{
    Q_OBJECT

public:
    TimesChooser(DocumentPage& page, DocumentController& document, Settings& settings);

    /// Asks for a profile: an open one that has such times, or a file.
    void choose();
    /// One undo step, once the profile is read.
    void use(const QString& path);
    /// One undo step.
    void useModelled();
    [[nodiscard]] const JobRunnerBase& job() const { return m_job; }
    void stop() { m_job.stop(); }

    /// Of profiles that are open in the window and may have times of ops.
    [[nodiscard]] QStringList openFiles() const;

private:
    void chooseFile();
    void take(const compare::StepTimesPtr& times);
    void refuse(const QString& path, const base::Error& error);

    DocumentPage& m_page;
    DocumentController& m_document;
    Settings& m_settings;
    JobRunner<compare::StepTimesPtr> m_job;
};

} // namespace plimsoll::ui

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/job_runner.h"

#include <QObject>
#include <QString>

class QWidget;

namespace plimsoll::ui {

class DocumentPage;
class Settings;

/// Writes pictures of a page's views, one at a time.
class PictureExport : public QObject
{
    Q_OBJECT

public:
    PictureExport(DocumentPage& page, Settings& settings) : m_page{page}, m_settings{settings} {}

    /// Asks for the file; its extension selects the format. `what`: "plots", for its name.
    void choosePicture(QWidget& view, const QString& what);
    /// Draws now and writes off the GUI thread.
    void start(QWidget& view, const QString& path);
    [[nodiscard]] JobRunnerBase& job() { return m_job; }
    [[nodiscard]] const JobRunnerBase& job() const { return m_job; }

Q_SIGNALS:
    void exported(const QString& path);

private:
    void tell(const base::Result<bool>& done, const QString& path);

    DocumentPage& m_page;
    Settings& m_settings;
    JobRunner<bool> m_job;
};

} // namespace plimsoll::ui

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/job_runner.h"
#include "ui/base/settings.h"

#include <filesystem>
#include <vector>

namespace plimsoll::ui {

class DocumentController;
class DocumentPage;

/// Writes a document's plan into files, one at a time, off the GUI thread.
class PlanExport : public QObject
{
    Q_OBJECT

public:
    /// `kept`: files that are open, which must not be overwritten.
    PlanExport(DocumentPage& page, const DocumentController& document, Settings& settings,
               std::function<std::vector<std::filesystem::path>()> kept)
        : m_page{page}, m_document{document}, m_settings{settings}, m_kept{std::move(kept)}
    {
    }

    /// Asks for the file; its extension selects the format.
    void chooseFile();
    void choosePython();
    void choosePicture();
    void start(const QString& path);
    void copySnippet();
    [[nodiscard]] const JobRunnerBase& job() const { return m_job; }

Q_SIGNALS:
    void exported(const QString& path);

private:
    void choose(const QString& title, const char* ending, const QString& filters);

    DocumentPage& m_page;
    const DocumentController& m_document;
    Settings& m_settings;
    std::function<std::vector<std::filesystem::path>()> m_kept;
    JobRunner<bool> m_job;
};

} // namespace plimsoll::ui

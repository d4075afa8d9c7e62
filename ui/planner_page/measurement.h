// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/overlay.h"
#include "ui/base/job_runner.h"
#include "ui/base/settings.h"
#include "ui/document_page/document_page.h"

namespace plimsoll::ui {

class DocumentController;

/// Lays the runs of a document's measurement over what is planned, on a thread of its own.
class RunLayer : public QObject
{
    Q_OBJECT

public:
    explicit RunLayer(const DocumentController& document) : m_document{document} {}

    /// The measurement or what is planned is another one. What is known of the first run is there
    /// at once.
    void lay();
    [[nodiscard]] const workspace::AlignedRuns& laid() const { return m_laid; }
    [[nodiscard]] bool isRunning() const { return m_job.isRunning(); }

Q_SIGNALS:
    void done();

private:
    const DocumentController& m_document;
    workspace::AlignedRuns m_laid; ///< all null: none is laid over
    JobRunner<workspace::AlignedRuns> m_job;
};

// How a measurement comes over the prediction of a document: dialog, drop, command line.

/// Reads a measurement and lays it over the step that is planned.
[[nodiscard]] DocumentPage::Addition measurementReader(DocumentController& document,
                                                       MessageStrip& strip, const QString& path);
void chooseMeasurement(DocumentPage& page, const Settings& settings);
void showMeasurementError(DocumentPage& page, const Settings& settings, const QString& path,
                          const base::Error& error);

} // namespace plimsoll::ui

// SPDX-License-Identifier: Apache-2.0
#include "ui/planner_page/times_chooser.h"

#include "core/workspace/profile/profile_document.h"
#include "core/workspace/profile/step_times.h"
#include "ui/base/file_dialog.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/document_page/document_page.h"
#include "ui/planner_page/document_controller.h"

#include <QFileInfo>
#include <QInputDialog>

#include <utility>

namespace plimsoll::ui {

namespace {
constexpr QLatin1String kTimesMessage{"times"};
} // namespace

TimesChooser::TimesChooser(DocumentPage& page, DocumentController& document, Settings& settings)
    : m_page{page}, m_document{document}, m_settings{settings}
{
    connect(&document, &DocumentController::choicesChanged, this, [this] {
        if (!m_document.document().choices.profiled.times)
            m_page.strip().withdraw(kTimesMessage); // undone
    });
}

QStringList TimesChooser::openFiles() const
{
    QStringList files;
    for (const DocumentPage* open : m_page.window()->findChildren<DocumentPage*>()) {
        const workspace::Document& document = open->shownDocument();
        if (document.kind() == workspace::kProfileDocument
            && workspace::hasStepTimes(document.origin()))
            files << QString::fromStdString(document.origin().string());
    }
    files.removeDuplicates();
    return files;
}

void TimesChooser::choose()
{
    const QStringList files = openFiles();
    if (files.isEmpty())
        return chooseFile();
    QStringList names;
    for (const QString& file : files)
        names << fileText(QFileInfo{file}.fileName());
    names << tr("Another file…");
    bool isAccepted = false;
    const QString chosen =
        QInputDialog::getItem(m_page.window(), tr("Use measured times"),
                              tr("Profile of this step:"), names, 0, false, &isAccepted);
    if (!isAccepted)
        return;
    const auto at = names.indexOf(chosen);
    if (at < files.size())
        use(files[at]);
    else
        chooseFile();
}

void TimesChooser::chooseFile()
{
    for (const QString& path :
         chooseFiles(m_page.window(), tr("Use measured times"), m_settings.lastFolder(),
                     tr("Traces of torch.profiler (*.json *.json.gz);;All files (*)"),
                     QFileDialog::ExistingFile))
        use(path);
}

void TimesChooser::use(const QString& path)
{
    const workspace::Choices choices = m_document.document().choices;
    m_job.start(
        [recorded = m_document.document().graph.program, sizes = choices.sizes,
         file = std::filesystem::path{path.toStdString()}](const base::JobContext& job) {
            return workspace::programAt(recorded, sizes, job)
                .and_then([&](const graph::ProgramPtr& program) {
                    return workspace::readStepTimes(file, *program, job);
                });
        },
        [this, path, sizes = choices.sizes](base::Result<compare::StepTimesPtr> times) {
            if (!times)
                return refuse(path, times.error());
            workspace::Choices now = m_document.document().choices;
            now.profiled = {*times, sizes};
            m_document.commitChoices(now);
            take(*times);
        });
}

void TimesChooser::useModelled()
{
    workspace::Choices choices = m_document.document().choices;
    choices.profiled = {};
    m_document.commitChoices(choices);
}

void TimesChooser::take(const compare::StepTimesPtr& times)
{
    QStringList sentences{fileText(compare::sourceText(*times)) + u'.'};
    for (const std::string& note : times->notes)
        sentences << fileText(note);
    m_page.strip().post({kTimesMessage,
                         times->notes.empty() ? MessageKind::Offer : MessageKind::Warn,
                         tr("Measured times are in use."),
                         sentences.join(u' '),
                         {{tr("Use modelled times"), [this] { useModelled(); }}}});
}

void TimesChooser::refuse(const QString& path, const base::Error& error)
{
    if (error.kind == base::ErrorKind::Cancelled)
        return;
    m_page.strip().post(
        {kTimesMessage,
         MessageKind::Danger,
         tr("%1 gives no times for this step.").arg(fileText(QFileInfo{path}.fileName())),
         QString::fromStdString(error.message),
         {{tr("Choose another profile…"), [this] { choose(); }}}});
}

} // namespace plimsoll::ui

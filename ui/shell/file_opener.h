// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/job_runner.h"
#include "ui/base/settings.h"
#include "ui/document_page/page_registry.h"

#include <QPointer>
#include <QTimer>

#include <optional>

namespace plimsoll::ui {

class DocumentTabs;
class OpeningPage;
class StartPage;

/// Opens files one after the other, each in a tab of its own or over the document to which it
/// belongs. Recognises and reads files off the GUI thread.
class FileOpener : public QObject
{
    Q_OBJECT

public:
    FileOpener(const PageRegistry& kinds, Settings& settings, DocumentTabs& tabs, StartPage& start,
               QObject* parent);

    /// A file that is already open is shown.
    void open(const QStringList& paths);
    /// Files that were dropped: added to the shown document if it takes all of them, opened as one
    /// document if they belong together (PageKind::joint), else each on its own.
    void drop(const QStringList& paths);
    /// While files are dragged: dropOffered() follows.
    void considerDrop(const QStringList& paths);
    /// Opens a new document of a kind (PageKind::begin).
    void begin(const PageKind& kind);
    /// Asks for the files.
    void choose();
    /// Continues where something had to finish first.
    void openNext();
    /// Cancels the file being opened, and all that wait.
    void stop();
    [[nodiscard]] bool isRunning() const
    {
        return m_sniffer.isRunning() || m_reader.isRunning() || m_dropSniffer.isRunning();
    }
    /// "Opening a.json"; empty: nothing is being opened.
    [[nodiscard]] QString jobText() const;

Q_SIGNALS:
    void stateChanged();
    void opened(plimsoll::ui::DocumentPage* page);
    /// A file was added to the page and is shown.
    void added(plimsoll::ui::DocumentPage* page);
    void failed(const QString& path, const QString& sentence);
    /// What dropping the files would do, if that isn't to open each of them.
    void dropOffered(const QString& sentence);

private:
    struct File
    {
        QString path;
        QPointer<DocumentPage> over = {}; ///< given: the page over which to lay it
        bool waits = false;               ///< for its document, which may come after it
    };
    struct Failure
    {
        QString path;
        QString first; ///< "a.json could not be opened"
        QString sentence;
    };
    using Take = std::function<void()>;
    using FileKinds = std::vector<std::optional<readers::FileKind>>;

    [[nodiscard]] base::Result<FileKinds> kindsOf(const QStringList& paths,
                                                  const base::JobContext& job) const;
    /// The kind of page that takes such files together; null: there is none.
    [[nodiscard]] const PageKind* jointKind(const FileKinds& files) const;
    void dropAs(const QStringList& paths, const FileKinds& files);
    DocumentPage* show(workspace::DocumentPtr document, const PageKind& kind);
    /// Adds the files to the new page.
    void open(workspace::DocumentPtr document, const QStringList& files);
    void add(const QString& path, DocumentPage& page);
    void queue(File file);
    /// The first tab of a file; null: it isn't open.
    [[nodiscard]] DocumentPage* pageOf(const QString& path) const;
    void openAs(std::optional<readers::FileKind> kind);
    void readDocuments();
    /// The first curve of what is being read, if reading lasts.
    void showSoFar();
    void take(std::vector<workspace::DocumentPtr> documents, const QString& path);
    void readAddition(DocumentPage& page);
    void goOn();
    void showError(const QString& path, const QString& sentence);
    void post(const Failure& failure, DocumentPage& page);

    const PageRegistry& m_kinds;
    Settings& m_settings;
    DocumentTabs& m_tabs;
    StartPage& m_start;
    OpeningPage* m_soFar = nullptr;
    QTimer m_soFarTimer; ///< while a document is read
    File m_current;      ///< while isRunning(), unless it was cancelled
    std::vector<File> m_queue;
    std::vector<Failure> m_failures; ///< since files were last chosen, shown on the start page
    JobRunner<std::optional<readers::FileKind>> m_sniffer;
    JobRunner<Take> m_reader;
    JobRunner<FileKinds> m_dropSniffer;
    JobRunner<FileKinds> m_offerSniffer;
};

} // namespace plimsoll::ui

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/job_runner.h"
#include "ui/base/settings.h"
#include "ui/document_page/page_registry.h"

#include <QPointer>

#include <optional>

namespace plimsoll::ui {

class DocumentTabs;
class StartPage;

/// Opens files one after the other, each in a tab of its own or over the document that it belongs
/// to. What a file is, and what is in it, is found out off the GUI thread.
class FileOpener : public QObject
{
    Q_OBJECT

public:
    FileOpener(const PageRegistry& kinds, Settings& settings, DocumentTabs& tabs, StartPage& start,
               QObject* parent);

    /// A file that is open already is shown.
    void open(const QStringList& paths);
    /// Asks for them.
    void choose();
    /// Goes on where something had to end first.
    void openNext();
    /// Gives up what is being opened, and all that waits.
    void stop();
    [[nodiscard]] bool isRunning() const { return m_sniffer.isRunning() || m_reader.isRunning(); }
    /// "Opening a.json"; empty: nothing is being opened.
    [[nodiscard]] QString jobText() const;

Q_SIGNALS:
    void stateChanged();
    void opened(plimsoll::ui::DocumentPage* page);
    /// A file over the page, and in its picture.
    void added(plimsoll::ui::DocumentPage* page);
    void failed(const QString& path, const QString& sentence);

private:
    struct File
    {
        QString path;
        QPointer<DocumentPage> over = {}; ///< given: it is to be laid over that page
        bool waits = false;               ///< for its document, which may come after it
    };
    using Take = std::function<void()>;

    void add(const QString& path, DocumentPage& page);
    void queue(File file);
    /// The first tab of a file; null: it isn't open.
    [[nodiscard]] DocumentPage* pageOf(const QString& path) const;
    void openAs(std::optional<readers::FileKind> kind);
    void readDocuments();
    void take(std::vector<workspace::DocumentPtr> documents, const QString& path);
    void readAddition(DocumentPage& page);
    void goOn();
    void showError(const QString& path, const QString& sentence);

    const PageRegistry& m_kinds;
    Settings& m_settings;
    DocumentTabs& m_tabs;
    StartPage& m_start;
    File m_current; ///< while isRunning(), unless it was given up
    std::vector<File> m_queue;
    JobRunner<std::optional<readers::FileKind>> m_sniffer;
    JobRunner<Take> m_reader;
};

} // namespace plimsoll::ui

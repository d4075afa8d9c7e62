// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/file_opener.h"

#include "ui/base/file_dialog.h"
#include "ui/base/texts.h"
#include "ui/shell/document_tabs.h"
#include "ui/shell/page_keeper.h"
#include "ui/start_page/opening_page.h"
#include "ui/start_page/start_page.h"

#include <QFileInfo>
#include <QStackedWidget>

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <utility>

namespace plimsoll::ui {

namespace {
constexpr std::chrono::milliseconds kSoFarDelay{250}; ///< shorter reading shows only the document
constexpr std::chrono::milliseconds kSoFarInterval{100};
} // namespace

FileOpener::FileOpener(const PageRegistry& kinds, Settings& settings, DocumentTabs& tabs,
                       StartPage& start, QObject* parent)
    : QObject{parent}, m_kinds{kinds}, m_settings{settings}, m_tabs{tabs}, m_start{start}
{
    for (const JobRunnerBase* jobs :
         std::initializer_list<const JobRunnerBase*>{&m_sniffer, &m_reader, &m_dropSniffer})
        connect(jobs, &JobRunnerBase::runningChanged, this, &FileOpener::stateChanged);
    m_soFar = new OpeningPage{&m_tabs.stack()};
    m_soFar->hide();
    connect(&m_soFarTimer, &QTimer::timeout, this, &FileOpener::showSoFar);
    connect(m_soFar, &OpeningPage::cancelRequested, this, &FileOpener::stop);
    connect(&m_tabs, &DocumentTabs::openingClosed, this, &FileOpener::stop);
    connect(&m_tabs, &DocumentTabs::openRequested, this, &FileOpener::choose);
    connect(&m_tabs, &DocumentTabs::added, this, [this](DocumentPage* page) {
        connect(page, &DocumentPage::additionRequested, this,
                [this, page](const QString& path) { add(path, *page); });
        connect(page, &DocumentPage::documentRequested, this, [this](const NewDocument& requested) {
            open(std::move(*requested.document), requested.files);
        });
    });
    connect(&m_start, &StartPage::openRequested, this, &FileOpener::choose);
    connect(&m_start, &StartPage::fileChosen, this, [this](const QString& path) { open({path}); });
}

DocumentPage* FileOpener::pageOf(const QString& path) const
{
    const auto page = std::ranges::find_if(m_tabs.pages(), [&](const DocumentPage* each) {
        return absolutePath(each->originFile()) == path;
    });
    return page == m_tabs.pages().end() ? nullptr : *page;
}

void FileOpener::open(const QStringList& paths)
{
    if (!isRunning() && m_queue.empty())
        m_failures.clear();
    for (const QString& given : paths) {
        const QString path = absolutePath(given);
        DocumentPage* page = pageOf(path);
        if (page != nullptr)
            m_tabs.show(*page);
        // Documents of a session may be closed.
        if (page == nullptr || page->isInSession())
            queue({path});
    }
    openNext();
}

base::Result<FileOpener::FileKinds> FileOpener::kindsOf(const QStringList& paths,
                                                        const base::JobContext& job) const
{
    FileKinds kinds;
    for (const QString& path : paths) {
        if (job.stopRequested())
            return base::cancelled();
        kinds.push_back(m_kinds.documents.formats.kindOf(path.toStdString()));
    }
    return kinds;
}

const PageKind* FileOpener::jointKind(const FileKinds& files) const
{
    const auto takesAll = [&](const PageKind& kind) {
        return kind.joint && std::ranges::all_of(files, [&](const auto& file) {
                   return file == kind.joint->kind;
               });
    };
    const auto kind = std::ranges::find_if(m_kinds.kinds, takesAll);
    return files.size() < 2 || kind == m_kinds.kinds.end() ? nullptr : &*kind;
}

void FileOpener::considerDrop(const QStringList& paths)
{
    m_offerSniffer.start([this, paths](const base::JobContext& job) { return kindsOf(paths, job); },
                         [this](const base::Result<FileKinds>& files) {
                             const PageKind* kind = files ? jointKind(*files) : nullptr;
                             if (kind != nullptr)
                                 Q_EMIT dropOffered(kind->joint->offer.arg(files->size()));
                         });
}

void FileOpener::drop(const QStringList& paths)
{
    m_offerSniffer.stop();
    m_dropSniffer.start([this, paths](const base::JobContext& job) { return kindsOf(paths, job); },
                        [this, paths](const base::Result<FileKinds>& files) {
                            if (files)
                                dropAs(paths, *files);
                            else
                                goOn();
                        });
}

void FileOpener::dropAs(const QStringList& paths, const FileKinds& files)
{
    DocumentPage* page = m_tabs.current();
    const bool isAdded = page != nullptr && std::ranges::all_of(files, [&](const auto& file) {
                             return file && page->accepts(*file);
                         });
    const PageKind* kind = jointKind(files);
    if (isAdded)
        for (const QString& path : paths)
            add(path, *page);
    else if (kind != nullptr)
        open(kind->begin(nullptr), paths);
    else
        open(paths);
}

void FileOpener::begin(const PageKind& kind)
{
    open(kind.begin(m_tabs.current()), {});
}

void FileOpener::open(workspace::DocumentPtr document, const QStringList& files)
{
    const PageKind* kind = m_kinds.kindOf(*document);
    if (kind == nullptr)
        return;
    DocumentPage* page = show(std::move(document), *kind);
    Q_EMIT opened(page);
    for (const QString& path : files)
        add(path, *page);
}

DocumentPage* FileOpener::show(workspace::DocumentPtr document, const PageKind& kind)
{
    DocumentPage* page = kind.make(std::move(document), &m_tabs.stack());
    page->setIconName(kind.icon);
    m_start.hideError();
    m_tabs.add(*page);
    return page;
}

void FileOpener::add(const QString& path, DocumentPage& page)
{
    queue({QFileInfo{path}.absoluteFilePath(), &page});
    openNext();
}

void FileOpener::queue(File file)
{
    const auto same =
        std::ranges::find_if(m_queue, [&](const File& other) { return other.path == file.path; });
    if (same != m_queue.end())
        same->over = file.over;
    else if (!isRunning() || m_current.path != file.path)
        m_queue.push_back(std::move(file));
}

void FileOpener::choose()
{
    const QStringList files = chooseFiles(
        m_tabs.window(), tr("Open"), m_settings.lastFolder(),
        tr("Graphs, profiles, sessions and measurements (*.json *.json.gz *.pickle "
           "*.pickle.gz *.pkl *.plmcap *.sqlite *.csv *.csv.gz *.plimsoll);;All files (*)"));
    if (!files.isEmpty())
        open(files);
}

void FileOpener::stop()
{
    m_current = {};
    m_queue.clear();
    m_sniffer.stop();
    m_reader.stop();
    m_dropSniffer.stop();
    m_soFarTimer.stop();
    m_tabs.endOpening();
    Q_EMIT stateChanged();
}

QString FileOpener::jobText() const
{
    return isRunning() && !m_current.path.isEmpty()
               ? tr("Opening %1").arg(fileText(QFileInfo{m_current.path}.fileName()))
               : QString{};
}

void FileOpener::openNext()
{
    if (isRunning() || m_queue.empty())
        return;
    const QString path = m_queue.front().path;
    // A session that is still being written is opened once it is complete.
    if (std::ranges::any_of(m_tabs.closed(), [&](const DocumentPage* page) {
            return absolutePath(page->originFile()) == path;
        }))
        return;
    m_current = std::move(m_queue.front());
    m_queue.erase(m_queue.begin());
    if (DocumentPage* over = m_current.over.data()) {
        readAddition(*over);
        return;
    }
    m_sniffer.start(
        [this, file = path.toStdString()](const base::JobContext&) {
            return base::Result<std::optional<readers::FileKind>>{
                m_kinds.documents.formats.kindOf(file)};
        },
        [this, path](const base::Result<std::optional<readers::FileKind>>& kind) {
            if (m_current.path == path) // else it was cancelled
                openAs(*kind);
            else
                goOn();
        });
}

void FileOpener::openAs(std::optional<readers::FileKind> kind)
{
    const QString hint = kind ? m_kinds.additionHint(*kind) : QString{};
    DocumentPage* page = m_tabs.current();
    if (hint.isEmpty()) {
        readDocuments();
    } else if (page != nullptr && page->accepts(*kind)) {
        readAddition(*page);
    } else if (!m_queue.empty() && !m_current.waits) {
        // It may precede the document with which it was given: try again after the others.
        m_current.waits = true;
        m_queue.push_back(std::move(m_current));
        openNext();
    } else {
        showError(m_current.path, hint);
        goOn();
    }
}

void FileOpener::readDocuments()
{
    const QString path = m_current.path;
    m_soFarTimer.start(kSoFarDelay);
    m_reader.start(
        [this, path](const base::JobContext& job) {
            return workspace::openFile(path.toStdString(), m_kinds.documents, job)
                .map([&](std::vector<workspace::DocumentPtr> documents) {
                    auto all =
                        std::make_shared<std::vector<workspace::DocumentPtr>>(std::move(documents));
                    return Take{[this, path, all] { take(std::move(*all), path); }};
                });
        },
        [this, path](const base::Result<Take>& take) {
            if (take)
                (*take)();
            m_soFarTimer.stop();
            m_tabs.endOpening(); // behind the document, or before what is said instead
            if (!take && take.error().kind != base::ErrorKind::Cancelled)
                showError(path, QString::fromStdString(take.error().message));
            goOn();
        });
}

void FileOpener::showSoFar()
{
    m_soFarTimer.setInterval(kSoFarInterval);
    const std::optional<base::CurveSoFar::Curve> curve = m_reader.curveSoFar();
    if (!curve)
        return;
    const QString name = fileText(QFileInfo{m_current.path}.fileName());
    m_soFar->show(name, *curve, m_reader.perMille());
    m_tabs.showOpening(*m_soFar, name);
}

void FileOpener::take(std::vector<workspace::DocumentPtr> documents, const QString& path)
{
    const DocumentPage* sibling = pageOf(path);
    for (workspace::DocumentPtr& document : documents) {
        if (sibling != nullptr && sibling->isInSession())
            document->session.file = sibling->sessionFile(); // one writer for the whole session
        if (std::ranges::any_of(m_tabs.pages(), [&](const DocumentPage* page) {
                return page->shows(document->session);
            }))
            continue;
        const PageKind* kind = m_kinds.kindOf(*document);
        if (kind == nullptr) {
            showError(path,
                      tr("This version has no page for \"%1\".").arg(fileText(document->name())));
            continue;
        }
        DocumentPage* page = show(std::move(document), *kind);
        m_settings.addRecentFile(path);
        m_settings.setLastFolder(QFileInfo{path}.absolutePath());
        Q_EMIT opened(page);
    }
}

void FileOpener::readAddition(DocumentPage& page)
{
    const QString path = m_current.path;
    const auto take = [this, path, guard = QPointer{&page}](const base::Result<Take>& taken) {
        DocumentPage* over = guard.data();
        if (!taken && over != nullptr && taken.error().kind != base::ErrorKind::Cancelled) {
            over->showAdditionError(path, taken.error());
            Q_EMIT failed(path, QString::fromStdString(taken.error().message));
        } else if (taken && m_tabs.contains(over)) { // else it was closed in the meantime
            connect(
                over, &DocumentPage::fileAdded, this, [this, over] { Q_EMIT added(over); },
                Qt::SingleShotConnection);
            (*taken)();
            m_settings.setLastFolder(QFileInfo{path}.absolutePath());
        }
        goOn();
    };
    m_reader.start(page.addition(path), take);
}

void FileOpener::goOn()
{
    Q_EMIT stateChanged();
    openNext();
    // On the page that is left in front.
    DocumentPage* page = m_tabs.current();
    if (page == nullptr || isRunning() || !m_queue.empty())
        return;
    for (const Failure& failure : std::exchange(m_failures, {}))
        post(failure, *page);
}

void FileOpener::showError(const QString& path, const QString& sentence)
{
    const Failure failure{
        path, tr("%1 could not be opened").arg(fileText(QFileInfo{path}.fileName())), sentence};
    m_failures.push_back(failure);
    if (m_tabs.current() == nullptr) {
        QStringList sentences;
        QStringList details;
        for (const Failure& each : m_failures) {
            sentences << (each.sentence.contains(QFileInfo{each.path}.fileName())
                              ? each.sentence
                              : each.first + QStringLiteral(". ") + each.sentence);
            details << each.path + u'\n' + each.sentence;
        }
        if (m_failures.size() == 1)
            m_start.showError(failure.first, sentence, details.front());
        else
            m_start.showError(tr("%1 files could not be opened").arg(m_failures.size()),
                              sentences.join(u'\n'), details.join(u'\n'));
    }
    Q_EMIT failed(path, sentence);
}

void FileOpener::post(const Failure& failure, DocumentPage& page)
{
    page.strip().post({QStringLiteral("open ") + failure.path,
                       MessageKind::Danger,
                       failure.first + u'.',
                       failure.sentence,
                       {{tr("Choose another file…"), [this] { choose(); }}}});
}

} // namespace plimsoll::ui

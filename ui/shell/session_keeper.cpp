// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/session_keeper.h"

#include "core/base/format.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::chrono::milliseconds kGatherTime{300};

} // namespace

SessionKeeper::SessionKeeper(QObject* parent)
    : QObject{parent}, m_writer{std::make_unique<JobRunner<bool>>()}
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(kGatherTime);
    connect(&m_timer, &QTimer::timeout, this, &SessionKeeper::startWriting);
}

SessionKeeper::~SessionKeeper()
{
    finish();
}

void SessionKeeper::attach(const workspace::Document& document)
{
    m_file = std::make_shared<File>(
        File{document.sessionPath, document.graph.contentHash, std::nullopt});
    for (const workspace::Run& run : document.runs)
        m_ids[run.key] = run.id;
}

void SessionKeeper::create(const std::filesystem::path& path, Snapshot snapshot)
{
    m_creation = Creation{path, std::move(snapshot)};
    // What is pending belongs into the old file too.
    startWriting();
    proceed();
}

base::Result<void> SessionKeeper::openStore(File& file)
{
    base::Result<session::SessionStore> opened = session::SessionStore::open(file.path);
    if (!opened)
        return tl::unexpected{opened.error()};
    const base::Result<std::string> hash = opened->graphHash();
    if (!hash)
        return tl::unexpected{hash.error()};
    if (*hash != file.graphHash)
        return base::failure(
            base::ErrorKind::File,
            base::printable(file.path.string())
                + ": a session of another graph has taken its place; save the session under a new "
                  "name.");
    file.store.emplace(*std::move(opened));
    return {};
}

base::Result<void> SessionKeeper::writeWhole(Job& job)
{
    base::Result<session::SessionStore> created =
        session::SessionStore::create(job.file->path, workspace::savedSession(*job.whole));
    if (!created)
        return tl::unexpected{created.error()};
    const base::Result<session::SavedSession> stored = created->load();
    if (!stored)
        return tl::unexpected{stored.error()};
    for (const session::SavedRun& run : stored->runs)
        job.ids.push_back(run.id);
    job.file->store.emplace(*std::move(created));
    return {};
}

void SessionKeeper::perform(Job& job)
{
    const base::Result<void> done = [&]() -> base::Result<void> {
        if (job.whole)
            return writeWhole(job);
        if (!job.file->store)
            if (base::Result<void> opened = openStore(*job.file); !opened)
                return opened;
        return workspace::writeChange(*job.file->store, job.change, job.ids);
    }();
    if (!done)
        job.error = done.error();
}

bool SessionKeeper::hasChanges() const
{
    return !m_next.isEmpty() || !m_renamed.empty() || !m_removed.empty();
}

void SessionKeeper::dropChanges()
{
    m_next = {};
    m_nextKeys.clear();
    m_renamed.clear();
    m_removed.clear();
}

void SessionKeeper::changed()
{
    if (!m_file && !isWriting()) {
        dropChanges();
        return;
    }
    m_timer.start();
    Q_EMIT stateChanged();
}

void SessionKeeper::setProblem(const session::SavedProblem& problem)
{
    m_next.problem = problem;
    changed();
}

void SessionKeeper::setOverlay(const workspace::OverlayPtr& overlay)
{
    m_next.measurement = workspace::savedMeasurement(overlay);
    changed();
}

void SessionKeeper::setView(const std::string& state)
{
    m_next.view = state;
    changed();
}

void SessionKeeper::addRun(const workspace::Run& run)
{
    m_next.added.push_back(workspace::savedRun(run));
    m_nextKeys.push_back(run.key);
    changed();
}

void SessionKeeper::renameRun(const workspace::Run& run)
{
    const auto waiting = std::find(m_nextKeys.begin(), m_nextKeys.end(), run.key);
    if (waiting != m_nextKeys.end())
        m_next.added[static_cast<std::size_t>(waiting - m_nextKeys.begin())].name = run.name;
    else
        m_renamed.emplace_back(run.key, run.name);
    changed();
}

void SessionKeeper::removeRun(const workspace::Run& run)
{
    const auto waiting = std::find(m_nextKeys.begin(), m_nextKeys.end(), run.key);
    if (waiting != m_nextKeys.end()) {
        m_next.added.erase(m_next.added.begin() + (waiting - m_nextKeys.begin()));
        m_nextKeys.erase(waiting);
    } else {
        m_removed.push_back(run.key);
    }
    changed();
}

void SessionKeeper::start(std::shared_ptr<Job> job)
{
    m_timer.stop();
    m_job = std::move(job);
    m_writer->start(
        [running = m_job](const base::JobContext&) {
            perform(*running);
            return base::Result<bool>{true};
        },
        [this](const base::Result<bool>&) { settle(); });
    Q_EMIT stateChanged();
}

void SessionKeeper::startWriting()
{
    if (!m_file || m_job || !hasChanges())
        return;
    for (auto& [key, name] : std::exchange(m_renamed, {}))
        if (const auto id = m_ids.find(key); id != m_ids.end())
            m_next.renamed.emplace_back(id->second, std::move(name));
    for (const int key : std::exchange(m_removed, {}))
        if (const auto id = m_ids.find(key); id != m_ids.end())
            m_next.removed.push_back(id->second);
    auto job = std::make_shared<Job>();
    job->file = m_file;
    job->change = std::exchange(m_next, {});
    job->keys = std::exchange(m_nextKeys, {});
    start(std::move(job));
}

void SessionKeeper::startCreation()
{
    const Creation creation = *std::exchange(m_creation, std::nullopt);
    auto job = std::make_shared<Job>();
    job->whole = creation.snapshot();
    job->file =
        std::make_shared<File>(File{creation.path, job->whole->graph.contentHash, std::nullopt});
    // Only for the old file, in case that the new one can't be made.
    job->change = std::exchange(m_next, {});
    job->keys = std::exchange(m_nextKeys, {});
    // The old file may be the one that is replaced: it must be closed then.
    if (m_file)
        m_file->store.reset();
    start(std::move(job));
}

void SessionKeeper::proceed()
{
    if (m_job)
        return;
    if (m_creation)
        startCreation();
    else if (m_hurried && !m_failed)
        startWriting();
    else if (hasChanges() && !m_failed)
        m_timer.start();
}

void SessionKeeper::takeIds(const Job& job)
{
    std::vector<int> keys = job.keys;
    if (job.whole) {
        m_ids.clear(); // those were of another file
        keys.clear();
        for (const workspace::Run& run : job.whole->runs)
            keys.push_back(run.key);
    }
    for (std::size_t i = 0; i < keys.size() && i < job.ids.size(); ++i) {
        m_ids[keys[i]] = job.ids[i];
        Q_EMIT runStored(keys[i], job.ids[i]);
    }
}

void SessionKeeper::settle()
{
    const std::shared_ptr<Job> job = std::exchange(m_job, nullptr);
    m_failed = job->error.has_value();
    if (!job->error || !job->whole)
        takeIds(*job);
    if (job->error) {
        putBack(*job);
        if (job->whole && m_file && hasChanges())
            m_timer.start(); // the old file is still good
        Q_EMIT failed(QString::fromStdString(job->error->message));
    } else {
        m_file = job->file;
        Q_EMIT saved(QString::fromStdString(m_file->path.string()), job->whole.has_value());
    }
    proceed();
    Q_EMIT stateChanged();
    if (m_job)
        return;
    m_hurried = false;
    Q_EMIT settled();
}

void SessionKeeper::putBack(Job& job)
{
    if (!m_next.problem)
        m_next.problem = std::move(job.change.problem);
    if (!m_next.measurement)
        m_next.measurement = std::move(job.change.measurement);
    if (!m_next.view)
        m_next.view = std::move(job.change.view);
    const auto prepend = [](auto& to, auto from, std::size_t skip) {
        to.insert(to.begin(),
                  std::make_move_iterator(from.begin() + static_cast<std::ptrdiff_t>(skip)),
                  std::make_move_iterator(from.end()));
    };
    const std::size_t stored = job.whole ? 0 : job.ids.size();
    prepend(m_next.added, std::move(job.change.added), 0);
    prepend(m_nextKeys, std::move(job.keys), stored);
    prepend(m_next.renamed, std::move(job.change.renamed), 0);
    prepend(m_next.removed, std::move(job.change.removed), 0);
}

void SessionKeeper::forget()
{
    m_timer.stop();
    m_file.reset();
    m_creation.reset();
    dropChanges();
    m_failed = false;
}

void SessionKeeper::saveNow()
{
    startWriting();
    m_hurried = m_job != nullptr;
}

void SessionKeeper::finish()
{
    m_timer.stop();
    // At most: what is being written, what is pending, a new file, what came meanwhile.
    for (int round = 0; round < 4; ++round) {
        if (!m_job)
            startWriting();
        if (!m_job && m_creation)
            startCreation();
        if (!m_job)
            break;
        // Joins the worker; what it would have delivered is taken here instead.
        m_writer = std::make_unique<JobRunner<bool>>();
        settle();
    }
    m_timer.stop();
}

} // namespace plimsoll::ui

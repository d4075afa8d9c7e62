// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/session_keeper.h"

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

void SessionKeeper::attach(const std::filesystem::path& path)
{
    m_file = std::make_shared<File>(File{path, std::nullopt});
}

void SessionKeeper::create(const std::filesystem::path& path, const workspace::Document& document)
{
    finish();
    // The old file may be the one that is replaced: it must be closed then.
    if (m_file)
        m_file->store.reset();
    auto job = std::make_shared<Job>();
    job->file = std::make_shared<File>(File{path, std::nullopt});
    job->isNew = true;
    job->content = workspace::savedSession(document);
    for (const workspace::Run& run : document.runs)
        job->keys.push_back(run.key);
    start(std::move(job));
}

void SessionKeeper::perform(Job& job)
{
    std::optional<session::SessionStore>& store = job.file->store;
    if (job.isNew || !store) {
        base::Result<session::SessionStore> opened =
            job.isNew ? session::SessionStore::create(job.file->path, job.content)
                      : session::SessionStore::open(job.file->path);
        if (!opened) {
            job.error = opened.error();
            return;
        }
        store.emplace(*std::move(opened));
    }
    if (job.isNew) {
        const base::Result<session::SavedSession> stored = store->load();
        if (!stored)
            job.error = stored.error();
        else
            for (const session::SavedRun& run : stored->runs)
                job.ids.push_back(run.id);
        return;
    }
    if (const base::Result<void> written = workspace::writeChange(*store, job.change, job.ids);
        !written)
        job.error = written.error();
}

void SessionKeeper::changed()
{
    if (!m_file && !m_job) {
        m_next = {};
        m_nextKeys.clear();
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
    else if (run.id != 0)
        m_next.renamed.emplace_back(run.id, run.name);
    changed();
}

void SessionKeeper::removeRun(const workspace::Run& run)
{
    const auto waiting = std::find(m_nextKeys.begin(), m_nextKeys.end(), run.key);
    if (waiting != m_nextKeys.end()) {
        m_next.added.erase(m_next.added.begin() + (waiting - m_nextKeys.begin()));
        m_nextKeys.erase(waiting);
    } else if (run.id != 0) {
        m_next.removed.push_back(run.id);
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
    if (!m_file || m_job || m_next.isEmpty())
        return;
    auto job = std::make_shared<Job>();
    job->file = m_file;
    job->change = std::exchange(m_next, {});
    job->keys = std::exchange(m_nextKeys, {});
    start(std::move(job));
}

void SessionKeeper::settle()
{
    const std::shared_ptr<Job> job = std::exchange(m_job, nullptr);
    for (std::size_t i = 0; i < job->keys.size() && i < job->ids.size(); ++i)
        Q_EMIT runStored(job->keys[i], job->ids[i]);
    m_failed = job->error.has_value();
    if (job->error) {
        if (!job->isNew)
            putBack(*job);
        Q_EMIT failed(QString::fromStdString(job->error->message));
    } else {
        m_file = job->file;
        Q_EMIT saved(QString::fromStdString(m_file->path.string()), job->isNew);
        if (!m_next.isEmpty() && m_hurried)
            startWriting();
        else if (!m_next.isEmpty())
            m_timer.start();
    }
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
    if (!m_next.view)
        m_next.view = std::move(job.change.view);
    const auto prepend = [](auto& to, auto from, std::size_t skip) {
        to.insert(to.begin(),
                  std::make_move_iterator(from.begin() + static_cast<std::ptrdiff_t>(skip)),
                  std::make_move_iterator(from.end()));
    };
    prepend(m_next.added, std::move(job.change.added), 0);
    prepend(m_nextKeys, std::move(job.keys), job.ids.size());
    prepend(m_next.renamed, std::move(job.change.renamed), 0);
    prepend(m_next.removed, std::move(job.change.removed), 0);
}

void SessionKeeper::forget()
{
    m_timer.stop();
    m_file.reset();
    m_next = {};
    m_nextKeys.clear();
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
    for (int round = 0; round < 2; ++round) {
        if (m_job) {
            // Joins the worker; what it would have delivered is taken here instead.
            m_writer = std::make_unique<JobRunner<bool>>();
            settle();
        }
        startWriting();
    }
    if (m_job) {
        m_writer = std::make_unique<JobRunner<bool>>();
        settle();
    }
    m_timer.stop();
}

} // namespace plimsoll::ui

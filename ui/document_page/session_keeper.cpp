// SPDX-License-Identifier: Apache-2.0
#include "ui/document_page/session_keeper.h"

#include <chrono>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::chrono::milliseconds kGatherTime{300};

} // namespace

SessionKeeper::SessionKeeper(workspace::Document& document, QObject* parent)
    : QObject{parent}, m_document{document}, m_writer{std::make_unique<JobRunner<bool>>()}
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(kGatherTime);
    connect(&m_timer, &QTimer::timeout, this, &SessionKeeper::startWriting);
}

SessionKeeper::~SessionKeeper()
{
    finish();
}

void SessionKeeper::saveInto(session::SessionFilePtr file, bool isNew)
{
    m_creation = workspace::SessionPlace{std::move(file), {}, isNew};
    // Write pending changes to the old file, too.
    startWriting();
    proceed();
}

void SessionKeeper::put(std::string slot, workspace::PendingWrites::Write write)
{
    if (!m_document.session.file && !isWriting()) {
        m_document.pending.clear();
        return;
    }
    m_document.pending.put(std::move(slot), std::move(write));
    m_timer.start();
    Q_EMIT stateChanged();
}

base::Result<void> SessionKeeper::perform(Job& job)
{
    session::SessionFile& file = *job.place.file;
    if (!job.whole)
        return workspace::writeAll(file, job.place.id, job.contentHash, job.changes);
    const auto add = [&job](session::SessionStore& store) {
        return job.whole->addTo(store).map([&job](session::DocumentId id) { job.place.id = id; });
    };
    if (!job.place.isOnly)
        return file.write([&](session::SessionStore& store) { return store.transaction(add); });
    // The new file may replace the old one, so the old one must be closed.
    if (job.before && job.before->path() == file.path())
        job.before->close();
    return file.create(add);
}

void SessionKeeper::start(std::shared_ptr<Job> job)
{
    m_timer.stop();
    m_job = std::move(job);
    m_writer->start(
        [running = m_job](const base::JobContext&) {
            if (const base::Result<void> done = perform(*running); !done)
                running->error = done.error();
            return base::Result<bool>{true};
        },
        [this](const base::Result<bool>&) { settle(); });
    Q_EMIT stateChanged();
}

void SessionKeeper::startWriting()
{
    if (!m_document.session.file || m_job || m_document.pending.isEmpty())
        return;
    auto job = std::make_shared<Job>();
    job->place = m_document.session;
    job->contentHash = m_document.contentHash();
    job->changes = m_document.pending.take();
    start(std::move(job));
}

void SessionKeeper::startCreation()
{
    auto job = std::make_shared<Job>();
    job->place = *std::exchange(m_creation, std::nullopt);
    job->whole = m_document.copy();
    job->before = m_document.session.file;
    // For the old file only, in case the new one can't be created.
    job->changes = m_document.pending.take();
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
    else if (!m_document.pending.isEmpty() && !m_failed)
        m_timer.start();
}

void SessionKeeper::settle()
{
    const std::shared_ptr<Job> job = std::exchange(m_job, nullptr);
    m_failed = job->error.has_value();
    if (job->error) {
        m_document.pending.putBack(std::move(job->changes));
        if (job->whole && m_document.session.file && !m_document.pending.isEmpty())
            m_timer.start(); // the old file is still in use
        Q_EMIT failed(QString::fromStdString(job->error->message));
    } else {
        if (job->whole)
            m_document.session = job->place;
        Q_EMIT saved(QString::fromStdString(job->place.file->path().string()),
                     job->whole != nullptr);
    }
    proceed();
    Q_EMIT stateChanged();
    if (m_job)
        return;
    m_hurried = false;
    Q_EMIT settled();
}

void SessionKeeper::forget()
{
    m_timer.stop();
    m_creation.reset();
    m_document.close();
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
    // At most four rounds: the current write, pending changes, a new file, and later changes.
    for (int round = 0; round < 4; ++round) {
        if (!m_job)
            startWriting();
        if (!m_job && m_creation)
            startCreation();
        if (!m_job)
            break;
        // Joins the worker; its result is handled here instead.
        m_writer = std::make_unique<JobRunner<bool>>();
        settle();
    }
    m_timer.stop();
}

} // namespace plimsoll::ui

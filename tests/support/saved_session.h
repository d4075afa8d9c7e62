// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/plan_records.h"

#include <string>
#include <utility>

namespace plimsoll::tests {

/// A session with one document, a plan's.
struct SavedSession
{
    session::SavedDocument document;
    std::string content;
    session::SavedPlan plan;
};

[[nodiscard]] inline base::Result<session::DocumentId> addTo(session::SessionStore& store,
                                                             const SavedSession& saved)
{
    session::SavedDocument document = saved.document;
    document.kind = "plan";
    base::Result<session::DocumentId> id = store.addDocument(document);
    if (!id)
        return id;
    base::Result<void> done = store.saveBlob(*id, session::kContent, saved.content);
    done = done ? session::savePlan(store, *id, saved.plan) : done;
    if (!done)
        return tl::unexpected{done.error()};
    return id;
}

[[nodiscard]] inline base::Result<session::SessionStore> createSession(const std::string& path,
                                                                       const SavedSession& saved)
{
    return session::SessionStore::create(path, [&](session::SessionStore& store) {
        return addTo(store, saved).map([](session::DocumentId) {});
    });
}

/// The first document of a session.
[[nodiscard]] inline base::Result<SavedSession> loadSession(const session::SessionStore& store)
{
    SavedSession saved;
    const auto documents = store.documents();
    if (!documents)
        return tl::unexpected{documents.error()};
    if (documents->empty())
        return base::failure(base::ErrorKind::File, "There is no document.");
    saved.document = documents->front();
    base::Result<std::string> content = store.blob(saved.document.id, session::kContent);
    base::Result<session::SavedPlan> plan = session::loadPlan(store, saved.document.id);
    if (!content || !plan)
        return tl::unexpected{content ? plan.error() : content.error()};
    saved.content = *std::move(content);
    saved.plan = *std::move(plan);
    return saved;
}

[[nodiscard]] inline base::Result<SavedSession> loadSession(const std::string& path)
{
    const base::Result<session::SessionStore> store = session::SessionStore::open(path);
    if (!store)
        return tl::unexpected{store.error()};
    return loadSession(*store);
}

} // namespace plimsoll::tests

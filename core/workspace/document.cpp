// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/document.h"

#include "core/base/try.h"

namespace plimsoll::workspace {

std::string Document::title() const
{
    return session.file && session.isOnly ? session.file->path().filename().string() : name();
}

const std::filesystem::path& Document::file() const
{
    return session.file ? session.file->path() : origin();
}

base::Result<session::DocumentId> Document::addTo(session::SessionStore& store) const
{
    ASSIGN_OR_RETURN(
        session::DocumentId id,
        store.addDocument(
            {{}, std::string{kind()}, name(), origin().string(), contentHash(), state(), view}));
    RETURN_IF_ERROR(this->store(store, id));
    return id;
}

void Document::close()
{
    session = {};
    pending.clear();
    isChanged = false;
}

} // namespace plimsoll::workspace

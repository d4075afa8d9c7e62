// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/document.h"

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
    base::Result<session::DocumentId> id = store.addDocument(
        {{}, std::string{kind()}, name(), origin().string(), contentHash(), state(), view});
    if (!id)
        return id;
    if (const base::Result<void> stored = this->store(store, *id); !stored)
        return tl::unexpected{stored.error()};
    return id;
}

void Document::close()
{
    session = {};
    pending.clear();
    isChanged = false;
}

} // namespace plimsoll::workspace

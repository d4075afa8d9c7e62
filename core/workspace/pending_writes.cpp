// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/pending_writes.h"

#include "core/base/format.h"
#include "core/base/try.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace plimsoll::workspace {

using base::Result;

void PendingWrites::put(std::string slot, Write write)
{
    std::erase_if(m_waiting, [&](const Change& change) { return change.slot == slot; });
    m_waiting.push_back({std::move(slot), std::move(write)});
}

std::vector<PendingWrites::Change> PendingWrites::take()
{
    return std::exchange(m_waiting, {});
}

void PendingWrites::putBack(std::vector<Change> changes)
{
    for (Change& change : m_waiting) {
        std::erase_if(changes, [&](const Change& old) { return old.slot == change.slot; });
        changes.push_back(std::move(change));
    }
    m_waiting = std::move(changes);
}

Result<void> writeAll(session::SessionFile& file, session::DocumentId document,
                      const std::string& contentHash, std::vector<PendingWrites::Change>& changes)
{
    return file.write([&](session::SessionStore& store) -> Result<void> {
        ASSIGN_OR_RETURN(const std::string hash, store.contentHash(document));
        if (hash != contentHash)
            return base::failure(
                base::ErrorKind::File,
                base::printable(file.path().string())
                    + ": another session has taken its place; save the session under a new name.");
        while (!changes.empty()) {
            RETURN_IF_ERROR(changes.front().write(store, document));
            changes.erase(changes.begin());
        }
        return {};
    });
}

} // namespace plimsoll::workspace

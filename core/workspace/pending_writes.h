// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/session_file.h"

#include <functional>
#include <string>
#include <vector>

namespace plimsoll::workspace {

/// Changes of a document that its session doesn't have yet. Each belongs to a slot ("problem", "run
/// 3") and writes the slot's whole content: a later change replaces an earlier one, and writing one
/// twice does no harm. Used by the thread of the document only; any other thread may write what
/// take() returns.
class PendingWrites
{
public:
    using Write =
        std::function<base::Result<void>(session::SessionStore& store, session::DocumentId)>;
    struct Change
    {
        std::string slot;
        Write write;
    };

    void put(std::string slot, Write write);
    /// Nothing waits to be written.
    [[nodiscard]] bool isEmpty() const { return m_waiting.empty(); }
    /// Everything that waits, for writeAll().
    [[nodiscard]] std::vector<Change> take();
    /// Puts back what could not be written, unless its slot has something newer.
    void putBack(std::vector<Change> changes);
    void clear() { m_waiting.clear(); }

private:
    std::vector<Change> m_waiting;
};

/// Writes changes into a document's session and removes those from the list that are on disk. Fails
/// if the file no longer has the document, identified by the content from which it was made.
[[nodiscard]] base::Result<void> writeAll(session::SessionFile& file, session::DocumentId document,
                                          const std::string& contentHash,
                                          std::vector<PendingWrites::Change>& changes);

} // namespace plimsoll::workspace

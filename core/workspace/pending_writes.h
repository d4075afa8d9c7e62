// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/session_file.h"

#include <functional>
#include <string>
#include <vector>

namespace plimsoll::workspace {

/// Changes of a document that its session doesn't hold yet. Each belongs to a slot ("problem",
/// "run 3") and writes the whole of what the slot stands for: a later change takes the place of an
/// earlier one, and writing one twice does no harm. Used by the thread of the document only; what
/// take() gives is written by any other.
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
    /// What could not be written waits again, unless something newer is in its slot.
    void putBack(std::vector<Change> changes);
    void clear() { m_waiting.clear(); }

private:
    std::vector<Change> m_waiting;
};

/// Writes changes into a document's session and takes out of the list what is on the disk. Fails
/// when the file no longer holds the document, known by what it was made of.
[[nodiscard]] base::Result<void> writeAll(session::SessionFile& file, session::DocumentId document,
                                          const std::string& contentHash,
                                          std::vector<PendingWrites::Change>& changes);

} // namespace plimsoll::workspace

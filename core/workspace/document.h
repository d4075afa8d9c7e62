// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/pending_writes.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::workspace {

/// Where a document is stored.
struct SessionPlace
{
    session::SessionFilePtr file; ///< null: in no session
    session::DocumentId id{};
    bool isOnly = true; ///< the file was made for this document or had no other when it was read
};

/// An open document: made from a file, changed by the user, stored in a session. Kinds derive from
/// it and add their content; code that lists, saves and closes documents knows only this class.
/// Used by one thread; a copy() may be stored by another.
class Document
{
public:
    virtual ~Document() = default;

    /// "plan": what sessions and registries call the kind.
    [[nodiscard]] virtual std::string_view kind() const = 0;
    /// The document's own name, such as its file's without extensions.
    [[nodiscard]] virtual const std::string& name() const = 0;
    /// The file it was made of.
    [[nodiscard]] virtual const std::filesystem::path& origin() const = 0;
    /// Of the file's content.
    [[nodiscard]] virtual const std::string& contentHash() const = 0;
    /// JSON object of the kind, for the session.
    [[nodiscard]] virtual std::string state() const { return "{}"; }
    /// The current state, for a thread that stores it.
    [[nodiscard]] virtual std::unique_ptr<const Document> copy() const = 0;
    /// Writes what the kind stores besides state and view into a session that has its row already.
    [[nodiscard]] virtual base::Result<void> store(session::SessionStore& store,
                                                   session::DocumentId id) const = 0;

    /// For tabs and title bars: the session's file name, or the document's if a session holds
    /// several.
    [[nodiscard]] std::string title() const;
    /// The session's file, or the file from which the document was made.
    [[nodiscard]] const std::filesystem::path& file() const;
    /// Whether there are changes that no file has.
    [[nodiscard]] bool isDirty() const { return session.file ? !pending.isEmpty() : isChanged; }
    /// Adds the document to a session.
    [[nodiscard]] base::Result<session::DocumentId> addTo(session::SessionStore& store) const;
    /// Forgets the session, and all changes that it doesn't have.
    void close();

    SessionPlace session;
    PendingWrites pending;
    bool isChanged = false;         ///< changed by the user while it was in no session
    std::string view = "{}";        ///< JSON object of its page
    std::vector<std::string> notes; ///< what could not be restored, a sentence each

protected:
    Document() = default;
    Document(const Document&) = default;
    Document(Document&&) = default;
    Document& operator=(const Document&) = default;
    Document& operator=(Document&&) = default;
};

using DocumentPtr = std::unique_ptr<Document>;

} // namespace plimsoll::workspace

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/pending_writes.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::workspace {

/// Where a document is kept.
struct SessionPlace
{
    session::SessionFilePtr file; ///< null: in no session
    session::DocumentId id{};
    bool isOnly = true; ///< the file was made for this document or held no other when it was read
};

/// What is open: made of a file, changed by the user, kept in a session. Kinds derive from it and
/// add what they hold; whoever lists, saves and closes documents knows only this. Used by one
/// thread; a copy() may be stored by another.
class Document
{
public:
    virtual ~Document() = default;

    /// "plan": what sessions and registries call the kind.
    [[nodiscard]] virtual std::string_view kind() const = 0;
    /// Of the document itself, such as its file's without endings.
    [[nodiscard]] virtual const std::string& name() const = 0;
    /// The file it was made of.
    [[nodiscard]] virtual const std::filesystem::path& origin() const = 0;
    /// Of the file's content.
    [[nodiscard]] virtual const std::string& contentHash() const = 0;
    /// JSON object of the kind, for the session.
    [[nodiscard]] virtual std::string state() const { return "{}"; }
    /// As it is now, for a thread that stores it.
    [[nodiscard]] virtual std::unique_ptr<const Document> copy() const = 0;
    /// Puts what the kind keeps besides state and view into a session that has its row already.
    [[nodiscard]] virtual base::Result<void> store(session::SessionStore& store,
                                                   session::DocumentId id) const = 0;

    /// For tabs and title bars: the session's file name, or the document's where a session holds
    /// several.
    [[nodiscard]] std::string title() const;
    /// The session's file, or else the file it was made of.
    [[nodiscard]] const std::filesystem::path& file() const;
    /// There are changes that are in no file.
    [[nodiscard]] bool isDirty() const { return session.file ? !pending.isEmpty() : isChanged; }
    /// Adds the document to a session.
    [[nodiscard]] base::Result<session::DocumentId> addTo(session::SessionStore& store) const;
    /// Forgets the session, and all changes that are not in it.
    void close();

    SessionPlace session;
    PendingWrites pending;
    bool isChanged = false;         ///< by the user, while it was in no session
    std::string view = "{}";        ///< JSON object of its page
    std::vector<std::string> notes; ///< what could not be taken over, a sentence each

protected:
    Document() = default;
    Document(const Document&) = default;
    Document(Document&&) = default;
    Document& operator=(const Document&) = default;
    Document& operator=(Document&&) = default;
};

using DocumentPtr = std::unique_ptr<Document>;

} // namespace plimsoll::workspace

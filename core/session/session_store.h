// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/database.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::session {

/// What a session keeps of a document of any kind. Kinds may keep more: in blobs, or in records of
/// their own (plan_records.h).
struct SavedDocument
{
    DocumentId id{};
    std::string kind; ///< "plan"
    std::string name;
    std::string sourcePath;
    std::string contentHash;
    std::string state = "{}"; ///< JSON object of the kind
    std::string view = "{}";  ///< JSON object of the page that shows it

    bool operator==(const SavedDocument&) const = default;
};

/// The blob that holds the file a document was made of, decompressed.
inline constexpr std::string_view kContent = "content";

/// An open session file (FORMAT.md). Each call is one transaction; once it returns without an
/// error, its changes are on disk. One thread at a time.
class SessionStore
{
public:
    using Work = std::function<base::Result<void>(SessionStore& store)>;

    /// Creates a file, or replaces one, with what `fill` writes. Refuses to replace a file that
    /// isn't a session, or a session that is open anywhere; then nothing changes.
    [[nodiscard]] static base::Result<SessionStore> create(const std::filesystem::path& path,
                                                           const Work& fill);
    [[nodiscard]] static base::Result<SessionStore> open(const std::filesystem::path& path);

    /// By id.
    [[nodiscard]] base::Result<std::vector<SavedDocument>> documents() const;
    /// The hash of the content from which the document was made; empty: there is no such document.
    [[nodiscard]] base::Result<std::string> contentHash(DocumentId document) const;
    /// Stores a document without blobs and returns its id.
    [[nodiscard]] base::Result<DocumentId> addDocument(const SavedDocument& document);
    [[nodiscard]] base::Result<void> saveState(DocumentId document, const std::string& state);
    [[nodiscard]] base::Result<void> saveView(DocumentId document, const std::string& view);
    [[nodiscard]] base::Result<std::string> blob(DocumentId document, std::string_view name) const;
    /// Of all blobs of a document.
    [[nodiscard]] base::Result<std::int64_t> blobBytes(DocumentId document) const;
    [[nodiscard]] base::Result<void> saveBlob(DocumentId document, std::string_view name,
                                              std::string_view bytes);
    [[nodiscard]] base::Result<void> removeBlob(DocumentId document, std::string_view name);
    /// Runs several calls as one transaction; an error rolls all of them back.
    [[nodiscard]] base::Result<void> transaction(const Work& work);
    /// One statement that returns no rows, as Database::execute() takes it; a transaction.
    template <typename... Values>
    [[nodiscard]] base::Result<void> execute(std::string_view sql, const Values&... values)
    {
        return transaction(
            [&](SessionStore& open) { return open.m_database.execute(sql, values...); });
    }
    /// Merges the log into the file and releases unused pages.
    [[nodiscard]] base::Result<void> compact();

    /// Must be opened again before anything is written (Database::isLogGone()).
    [[nodiscard]] bool isStale() const { return m_database.isLogGone() && !m_database.isGone(); }
    [[nodiscard]] const Database& database() const { return m_database; }
    [[nodiscard]] const std::filesystem::path& path() const { return m_database.path(); }

private:
    explicit SessionStore(Database database);
    Database m_database;
};

} // namespace plimsoll::session

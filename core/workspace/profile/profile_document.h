// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/document_kinds.h"
#include "core/workspace/profile/profile_reading.h"

#include <string>
#include <string_view>

namespace plimsoll::workspace {

inline constexpr std::string_view kProfileDocument = "profile";

/// A recording of memory, and what the user has chosen to see of it.
class ProfileDocument final : public Document
{
public:
    [[nodiscard]] std::string_view kind() const override { return kProfileDocument; }
    [[nodiscard]] const std::string& name() const override { return m_name; }
    [[nodiscard]] const std::filesystem::path& origin() const override { return m_path; }
    [[nodiscard]] const std::string& contentHash() const override { return m_contentHash; }
    [[nodiscard]] std::string state() const override;
    [[nodiscard]] std::unique_ptr<const Document> copy() const override;
    /// Stores the trace's columns, not the file that they came from.
    [[nodiscard]] base::Result<void> store(session::SessionStore& store,
                                           session::DocumentId id) const override;

    /// Its file was read again. The content's hash stays: sessions know the document by it.
    void take(const ProfileReading& reading);

    ProfileSettings settings;
    std::optional<base::Bytes> alarm; ///< reserved memory that is to be told
    std::string notesText;            ///< written by the user
    ProfilePicturePtr first;          ///< as opened
    memtrace::MemoryTracePtr trace;

private:
    friend DocumentKind profileDocuments();

    std::string m_name;
    std::filesystem::path m_path;
    std::string m_contentHash;
};

/// What a profile's document is called: "step.pickle" of "step.pickle.gz".
[[nodiscard]] std::string profileName(const std::filesystem::path& file);

/// The kind: profiles become such documents.
[[nodiscard]] DocumentKind profileDocuments();

/// The graph of the model that a session keeps with a profile; null: none.
[[nodiscard]] base::Result<std::shared_ptr<const ComparedStep>>
graphOfProfile(const session::SessionStore& store, const session::SavedDocument& saved,
               const base::JobContext& job);

} // namespace plimsoll::workspace

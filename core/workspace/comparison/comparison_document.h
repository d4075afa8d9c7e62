// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/comparison/compared_profile.h"
#include "core/workspace/document_kinds.h"

#include <string>
#include <string_view>

namespace plimsoll::workspace {

inline constexpr std::string_view kComparisonDocument = "comparison";

/// Profiles that are compared with each other, A first. Made of open profiles and files, not of a
/// file of its own; has the recordings themselves, whether their pages are open or not.
class ComparisonDocument final : public Document
{
public:
    explicit ComparisonDocument(ComparedProfiles profiles = {});

    [[nodiscard]] std::string_view kind() const override { return kComparisonDocument; }
    /// "a and b", "a and 3 more".
    [[nodiscard]] const std::string& name() const override { return m_name; }
    /// Empty.
    [[nodiscard]] const std::filesystem::path& origin() const override { return m_origin; }
    /// Of the profiles with which it was made.
    [[nodiscard]] const std::string& contentHash() const override { return m_contentHash; }
    [[nodiscard]] std::string state() const override;
    [[nodiscard]] std::unique_ptr<const Document> copy() const override;
    /// Stores the columns of each trace.
    [[nodiscard]] base::Result<void> store(session::SessionStore& store,
                                           session::DocumentId id) const override;

    [[nodiscard]] const ComparedProfiles& profiles() const { return m_profiles; }
    void setProfiles(ComparedProfiles profiles);

    ComparisonSettings settings;

private:
    friend DocumentKind comparisonDocuments();

    ComparedProfiles m_profiles;
    std::string m_name;
    std::filesystem::path m_origin;
    std::string m_contentHash;
};

/// The kind: no file becomes such a document, but sessions have them.
[[nodiscard]] DocumentKind comparisonDocuments();

} // namespace plimsoll::workspace

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/session_store.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

namespace plimsoll::session {

/// A session file that its documents share and write to: from any thread, one at a time. Opened by
/// the first write, and left open.
class SessionFile
{
public:
    explicit SessionFile(std::filesystem::path path);

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// Creates the file, or replaces an existing one.
    [[nodiscard]] base::Result<void> create(const SessionStore::Work& fill);
    [[nodiscard]] base::Result<void> write(const SessionStore::Work& work);
    /// The file was moved or deleted.
    [[nodiscard]] bool isMissing() const;
    /// Closes the file so that it can be replaced; the next write opens it again.
    void close();

private:
    std::filesystem::path m_path;
    std::mutex m_mutex;
    std::optional<SessionStore> m_store;
};

using SessionFilePtr = std::shared_ptr<SessionFile>;

} // namespace plimsoll::session

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/session_store.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

namespace plimsoll::session {

/// A session file into which the documents that it holds write, each when it has something to
/// write: from any thread, one at a time. Opened by the first one that writes, and left open.
class SessionFile
{
public:
    explicit SessionFile(std::filesystem::path path);

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// Makes a new file, or replaces the one of that name.
    [[nodiscard]] base::Result<void> create(const SessionStore::Work& fill);
    [[nodiscard]] base::Result<void> write(const SessionStore::Work& work);
    /// The file was moved or deleted.
    [[nodiscard]] bool isMissing() const;
    /// So that the file can be replaced; the next writing opens it again.
    void close();

private:
    std::filesystem::path m_path;
    std::mutex m_mutex;
    std::optional<SessionStore> m_store;
};

using SessionFilePtr = std::shared_ptr<SessionFile>;

} // namespace plimsoll::session

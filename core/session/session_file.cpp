// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_file.h"

#include "core/base/try.h"

#include <system_error>
#include <utility>

namespace plimsoll::session {

SessionFile::SessionFile(std::filesystem::path path) : m_path{std::move(path)} {}

base::Result<void> SessionFile::create(const SessionStore::Work& fill)
{
    const std::scoped_lock lock{m_mutex};
    ASSIGN_OR_RETURN(SessionStore created, SessionStore::create(m_path, fill));
    m_store.emplace(std::move(created));
    return {};
}

base::Result<void> SessionFile::write(const SessionStore::Work& work)
{
    const std::scoped_lock lock{m_mutex};
    if (m_store && m_store->isStale())
        m_store.reset();
    if (!m_store) {
        ASSIGN_OR_RETURN(SessionStore opened, SessionStore::open(m_path));
        m_store.emplace(std::move(opened));
    }
    return work(*m_store);
}

bool SessionFile::isMissing() const
{
    std::error_code error;
    return !std::filesystem::exists(m_path, error) && !error;
}

void SessionFile::close()
{
    const std::scoped_lock lock{m_mutex};
    m_store.reset();
}

} // namespace plimsoll::session

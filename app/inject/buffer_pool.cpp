// SPDX-License-Identifier: Apache-2.0
#include "app/inject/buffer_pool.h"

#include <cstring>
#include <sys/mman.h>
#include <utility>

namespace plimsoll::inject {

BufferPool::BufferPool(std::size_t most) : m_most{most}, m_left{most}
{
    m_free.reserve(most);
    m_filled.reserve(most);
}

std::uint8_t* BufferPool::take()
{
    {
        const std::lock_guard lock{m_mutex};
        if (!m_free.empty()) {
            std::uint8_t* const bytes = m_free.back();
            m_free.pop_back();
            return bytes;
        }
        if (m_left == 0)
            return nullptr;
        --m_left;
    }
    // From the system: zeros, and only pages that are written take memory.
    void* const bytes =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return bytes != MAP_FAILED ? static_cast<std::uint8_t*>(bytes) : nullptr;
}

void BufferPool::push(Filled filled)
{
    const std::lock_guard lock{m_mutex};
    m_filled.push_back(filled); // within what was reserved: there are no more buffers
    m_wake.notify_one();
}

std::vector<BufferPool::Filled> BufferPool::wait(std::chrono::milliseconds most)
{
    std::vector<Filled> filled;
    filled.reserve(m_most);
    std::unique_lock lock{m_mutex};
    m_wake.wait_for(lock, most, [this] { return m_stopped || !m_filled.empty(); });
    std::swap(filled, m_filled);
    return filled;
}

void BufferPool::giveBack(const Filled& filled)
{
    std::memset(filled.bytes, 0, filled.valid < kBytes ? filled.valid : kBytes);
    const std::lock_guard lock{m_mutex};
    m_free.push_back(filled.bytes);
}

void BufferPool::stop()
{
    const std::lock_guard lock{m_mutex};
    m_stopped = true;
    m_wake.notify_one();
}

} // namespace plimsoll::inject

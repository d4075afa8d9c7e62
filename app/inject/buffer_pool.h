// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace plimsoll::inject {

/// Buffers for CUPTI, a bounded number, and the queue of those that it has filled. CUPTI holds
/// locks of its own when it asks for a buffer, so nothing here calls CUPTI and no lock is held for
/// longer than a list operation takes. Thread-safe.
class BufferPool
{
public:
    /// More than a thousand kernels. Larger ones leave the cache of the core that fills them before
    /// they are read: on the stand-in GPU 2 MiB cost 3 % of a step more.
    static constexpr std::size_t kBytes = std::size_t{256} << 10U;

    struct Filled
    {
        std::uint8_t* bytes = nullptr;
        std::size_t valid = 0;
    };

    explicit BufferPool(std::size_t most);

    /// A buffer of kBytes zeros; null if as many as allowed are taken or there is no memory.
    [[nodiscard]] std::uint8_t* take();
    /// Queues a filled buffer for the writer.
    void push(Filled filled);
    /// All that were pushed; waits for one, for stop() or so long.
    [[nodiscard]] std::vector<Filled> wait(std::chrono::milliseconds most);
    /// A buffer that has been read is zeroed and may be taken again.
    void giveBack(const Filled& filled);
    /// Wakes the writer; wait() no longer waits.
    void stop();

private:
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::vector<std::uint8_t*> m_free;
    std::vector<Filled> m_filled;
    std::size_t m_left; ///< buffers that may still be made
    bool m_stopped = false;
};

} // namespace plimsoll::inject

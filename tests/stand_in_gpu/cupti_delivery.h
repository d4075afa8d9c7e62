// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cupti.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

namespace plimsoll::stand_in {

/// Fills the client's buffers with records and gives them back, as CUPTI does: the client is asked
/// for a buffer under a lock of CUPTI's, and a full buffer comes back from a thread of CUPTI's. A
/// flush gives buffers back from the thread that flushes. Thread-safe.
class Delivery
{
public:
    /// The only one of the process; never destroyed, since records come until the process ends.
    static Delivery& get();

    void setCallbacks(CUpti_BuffersCallbackRequestFunc request,
                      CUpti_BuffersCallbackCompleteFunc complete);
    /// Of the attributes that a client sets.
    void setPerThread(bool perThread);
    void setZeroed(bool zeroed);

    /// Appends one record; it is lost and counted where there is no room for it.
    void add(const void* record, std::size_t bytes);
    /// Gives back all buffers that hold records; of late ones only those that are full, unless all
    /// are asked for.
    void flush(bool all);
    /// The number of lost records since the last call.
    [[nodiscard]] std::size_t takeDropped();

private:
    struct Buffer
    {
        std::uint8_t* bytes = nullptr;
        std::size_t size = 0;
        std::size_t used = 0;
        std::size_t lastRecord = 0; ///< bytes of the record that was added last
    };

    Delivery();
    [[nodiscard]] std::optional<Buffer> nextBuffer();
    [[nodiscard]] std::thread::id currentOwner() const;
    void giveBack(Buffer buffer);
    void work();

    std::mutex m_mutex;
    std::mutex m_order; ///< held while buffers are given back, so that they keep their order
    std::condition_variable m_wake;
    CUpti_BuffersCallbackRequestFunc m_request = nullptr;
    CUpti_BuffersCallbackCompleteFunc m_complete = nullptr;
    bool m_perThread = true;
    bool m_zeroed = false;
    bool m_hasCut = false;
    std::map<std::thread::id, Buffer> m_open; ///< one, or one of each thread
    std::deque<Buffer> m_full;
    std::size_t m_requests = 0;
    std::size_t m_dropped = 0;
    std::size_t m_added = 0;
};

} // namespace plimsoll::stand_in

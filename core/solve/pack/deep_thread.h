// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <pthread.h>

namespace plimsoll::solve {

/// A thread with room for deep recursion; the standard's threads can't be given any. Joined by its
/// destructor.
class DeepThread
{
public:
    /// `work` must not throw. Nothing runs where the system refuses such a thread.
    DeepThread(std::size_t stackBytes, std::function<void()> work);
    ~DeepThread();
    DeepThread(const DeepThread&) = delete;
    DeepThread& operator=(const DeepThread&) = delete;
    DeepThread(DeepThread&&) = delete;
    DeepThread& operator=(DeepThread&&) = delete;

private:
    std::function<void()> m_work;
    pthread_t m_thread{};
    bool m_runs = false;
};

} // namespace plimsoll::solve

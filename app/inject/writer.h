// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/inject/buffer_pool.h"
#include "app/inject/chunk_file.h"
#include "app/inject/cupti_client.h"
#include "app/inject/faults.h"
#include "app/inject/mappings.h"
#include "app/inject/record_sink.h"
#include "app/inject/settings.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace plimsoll::inject {

/// What the program's threads hand to the writer's.
struct Channel
{
    explicit Channel(std::size_t buffers) : pool{buffers} {}

    BufferPool pool;
    Mappings mappings;
    Faults faults;
    std::atomic<std::uint64_t> lost{0}; ///< records, for want of buffers or memory
};

/// The recorder's own thread: the only one that writes and that flushes CUPTI.
class Writer
{
public:
    /// All of them live as long as the process.
    Writer(const Settings& settings, const CuptiClient& client, ChunkFile& file, Channel& channel);

    /// Starts the thread and waits until the file has its beginning, a moment.
    void start();
    /// Has it write what CUPTI still has and waits for that, some seconds at most.
    void finish();

private:
    void run();
    void writeHead();
    /// What there is since the last turn: all that CUPTI has finished, or, the last time, all that
    /// it has.
    void writeTurn(bool last);
    void drainWithin(std::chrono::milliseconds most);
    void writeStatuses();
    void writeClock();
    void writeDrops();
    void endAfterError();

    const Settings& m_settings;
    const CuptiClient& m_client;
    const CuptiTable& m_cupti;
    ChunkFile& m_file;
    Channel& m_channel;
    RecordSink m_sink;
    std::int64_t m_offset = 0; ///< of CUPTI's clock against the system's, at first
    std::uint64_t m_byCupti = 0;
    std::uint64_t m_cutBuffers = 0;
    bool m_clockWasTold = false;
    bool m_fileEnded = false;

    std::atomic<bool> m_stopping{false};
    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_begun = false; ///< the head of the file is written
    bool m_ended = false;
};

} // namespace plimsoll::inject

// SPDX-License-Identifier: Apache-2.0
#include "app/inject/writer.h"

#include "app/inject/drain.h"
#include "core/capture/wire_activity.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fcntl.h>
#include <pthread.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace plimsoll::inject {

namespace {

namespace wire = capture::wire;
using wire::Severity;
using wire::StatusCode;

constexpr std::chrono::seconds kLongestStart{2};
constexpr std::chrono::seconds kLongestEnd{10};
constexpr std::int64_t kClockTolerance = 1'000'000'000; ///< ns; NTP moves clocks by less

std::uint64_t now(clockid_t clock)
{
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U
           + static_cast<std::uint64_t>(time.tv_nsec);
}

/// The arguments of this process, separated by spaces.
std::string commandLine()
{
    std::string command(4096, '\0');
    const int file = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    const ssize_t count = file >= 0 ? ::read(file, command.data(), command.size()) : 0;
    if (file >= 0)
        (void)::close(file);
    command.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    while (!command.empty() && command.back() == '\0')
        command.pop_back();
    for (char& letter : command)
        letter = letter == '\0' ? ' ' : letter;
    return command;
}

Fault endOfFile(const std::string& path, std::uint64_t size, int error)
{
    return {StatusCode::FileEnded, Severity::Failure, error,
            "Writing " + path + " failed after " + std::to_string(size) + " bytes ("
                + std::generic_category().message(error)
                + "), so the recording ends there: make room or choose another place with -o."};
}

} // namespace

Writer::Writer(const Settings& settings, const CuptiClient& client, ChunkFile& file,
               Channel& channel)
    : m_settings{settings}
    , m_client{client}
    , m_cupti{client.table()}
    , m_file{file}
    , m_channel{channel}
    , m_sink{file}
{
}

/// The thread takes none of the program's signals, and none of its writes can send one to it.
void Writer::start()
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread writer{[this] {
        try {
            run();
        } catch (const std::exception&) {
            // No memory. The file keeps what it has; the program goes on.
        }
        const std::lock_guard lock{m_mutex};
        m_begun = m_ended = true;
        m_wake.notify_all();
    }};
    pthread_setname_np(writer.native_handle(), "plimsoll-writer");
    writer.detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    std::unique_lock lock{m_mutex};
    m_wake.wait_for(lock, kLongestStart, [this] { return m_begun; });
}

void Writer::finish()
{
    m_stopping = true;
    m_channel.pool.stop();
    std::unique_lock lock{m_mutex};
    m_wake.wait_for(lock, kLongestEnd, [this] { return m_ended; });
}

void Writer::run()
{
    writeHead();
    {
        const std::lock_guard lock{m_mutex};
        m_begun = true;
        m_wake.notify_all();
    }
    auto next = std::chrono::steady_clock::now() + m_settings.period;
    while (!m_stopping) {
        drainWithin(
            std::chrono::ceil<std::chrono::milliseconds>(next - std::chrono::steady_clock::now()));
        if (std::chrono::steady_clock::now() >= next) {
            writeTurn(false);
            next = std::chrono::steady_clock::now() + m_settings.period;
        }
    }
    writeTurn(true);
}

void Writer::drainWithin(std::chrono::milliseconds most)
{
    for (const BufferPool::Filled& filled : m_channel.pool.wait(most)) {
        m_cutBuffers += drain(m_cupti, filled, m_sink) ? 0U : 1U;
        m_channel.pool.giveBack(filled);
    }
}

void Writer::writeHead()
{
    wire::Process process;
    process.pid = static_cast<std::uint32_t>(::getpid());
    process.parent = static_cast<std::uint32_t>(::getppid());
    process.cuptiVersion = m_cupti.version;
    process.headerVersion = CUPTI_API_VERSION;
    process.run = m_settings.run;
    process.command = m_sink.text(std::string_view{commandLine()});
    process.library = m_sink.text(std::string_view{m_cupti.path});
    m_sink.add(process);
    writeClock();
    writeStatuses();
    m_sink.seal();
    endAfterError();
}

void Writer::writeTurn(bool last)
{
    if (m_client.isRecording())
        (void)m_cupti.ActivityFlushAll(last ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
    drainWithin(std::chrono::milliseconds{0});
    for (const wire::Mapping& mapping : m_channel.mappings.take())
        m_sink.add(mapping);
    writeStatuses();
    writeDrops();
    writeClock();
    if (last)
        m_sink.add(wire::End{.records = m_sink.records()});
    m_sink.seal();
    endAfterError();
}

void Writer::writeStatuses()
{
    for (const Fault& fault : m_channel.faults.take()) {
        wire::Status status;
        status.code = fault.code;
        status.severity = fault.severity;
        status.detail = fault.detail;
        status.text = m_sink.text(std::string_view{fault.text});
        m_sink.add(status);
    }
}

/// A client of the same CUPTI may give it another clock, as torch.profiler does.
void Writer::writeClock()
{
    wire::Clock clock;
    if (!m_client.isRecording() || m_cupti.GetTimestamp(&clock.cupti) != CUPTI_SUCCESS)
        clock.cupti = 0;
    clock.realtime = now(CLOCK_REALTIME);
    clock.monotonic = now(CLOCK_MONOTONIC);
    m_sink.add(clock);
    if (clock.cupti == 0)
        return;
    const auto offset = static_cast<std::int64_t>(clock.cupti - clock.monotonic);
    if (m_offset == 0)
        m_offset = offset;
    if (std::abs(offset - m_offset) < kClockTolerance || std::exchange(m_clockWasTold, true))
        return;
    m_channel.faults.note(
        {StatusCode::ClockChanged, Severity::Warning, 0,
         "The clock of the recording was changed while it ran, by another profiler in the program "
         "or by setting the computer's time: don't compare times before and after."});
    writeStatuses();
}

void Writer::writeDrops()
{
    std::size_t dropped = 0;
    if (m_client.isRecording()
        && m_cupti.ActivityGetNumDroppedRecords(nullptr, 0, &dropped) == CUPTI_SUCCESS)
        m_byCupti += dropped;
    wire::Drops drops;
    drops.byCupti = m_byCupti;
    drops.byRecorder = m_channel.lost;
    drops.cutBuffers = m_cutBuffers;
    drops.mappings = m_channel.mappings.dropped();
    m_sink.add(drops);
}

/// The chunk that didn't fit was cut off: where it began is mostly room for one with the reason.
void Writer::endAfterError()
{
    if (m_sink.error() == 0 || std::exchange(m_fileEnded, true))
        return;
    if (m_client.isRecording())
        m_client.stop();
    m_channel.faults.note(endOfFile(m_file.path(), m_file.size(), m_sink.error()));
    m_sink.forgetError();
    writeStatuses();
    m_sink.seal();
}

} // namespace plimsoll::inject

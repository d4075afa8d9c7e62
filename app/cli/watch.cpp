// SPDX-License-Identifier: Apache-2.0
#include "app/cli/watch.h"

#include "app/cli/command.h"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <unistd.h>
#include <utility>

namespace plimsoll::cli {

namespace {

constexpr auto kPoll = std::chrono::milliseconds{20};

std::atomic<int> interruptCount{0};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void onInterrupt(int /*signal*/)
{
    if (interruptCount.fetch_add(1) > 0)
        ::_exit(static_cast<int>(Exit::Cancelled));
}

} // namespace

void catchInterrupts()
{
    struct sigaction action = {};
    action.sa_handler = onInterrupt;
    action.sa_flags = SA_RESTART;
    (void)sigaction(SIGINT, &action, nullptr);
}

Watch::Watch(std::string what, std::optional<double> seconds) : m_what{std::move(what)}
{
    if (::isatty(STDERR_FILENO) == 0)
        m_what.clear();
    if (seconds)
        m_deadline = std::chrono::steady_clock::now()
                     + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                         std::chrono::duration<double>(*seconds));
    m_thread = std::jthread{[this](const std::stop_token& over) { loop(over); }};
}

Watch::~Watch()
{
    m_thread.request_stop();
    m_thread.join();
    if (!m_what.empty())
        fmt::print(stderr, "\r\x1b[K");
}

base::JobContext Watch::context()
{
    return {.stop = m_work.get_token(), .progress = &m_progress};
}

void Watch::tell(std::string text)
{
    const std::scoped_lock lock{m_mutex};
    m_told = std::move(text);
}

void Watch::loop(const std::stop_token& over)
{
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock{mutex};
    std::string shown;
    while (!over.stop_requested()) {
        wake.wait_for(lock, over, kPoll, [] { return false; });
        if (interruptCount.load() > 0
            || (m_deadline && std::chrono::steady_clock::now() >= *m_deadline))
            m_work.request_stop();
        if (m_what.empty())
            continue;
        std::string text = fmt::format("{} {} %", m_what, m_progress.perMille() / 10);
        {
            const std::scoped_lock told{m_mutex};
            text += m_told.empty() ? "" : ", " + m_told;
        }
        if (text == shown)
            continue;
        shown = std::move(text);
        fmt::print(stderr, "\r\x1b[K{}", shown);
        (void)std::fflush(stderr);
    }
}

} // namespace plimsoll::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/base/job_context.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace plimsoll::cli {

/// Installs the handler of Ctrl-C: the first one asks work to stop, the second ends the program
/// with 130.
void catchInterrupts();

/// What remains of a time limit that several pieces of work share.
class TimeLeft
{
public:
    TimeLeft() = default;
    explicit TimeLeft(std::optional<double> limit) : m_limit{limit} {}
    /// Nothing if there is no limit.
    [[nodiscard]] std::optional<double> seconds() const
    {
        return m_limit ? std::optional{std::max(0.0, *m_limit - m_clock.seconds())} : std::nullopt;
    }

private:
    std::optional<double> m_limit;
    Stopwatch m_clock; ///< from construction on
};

/// Watches one piece of work: forwards Ctrl+C and the end of its time, and shows progress on a
/// terminal.
class Watch
{
public:
    /// `what` precedes the percentage: "Reading gpt2.plimsoll.json.gz". Nothing is shown if it is
    /// empty or standard error is not a terminal.
    explicit Watch(std::string what, std::optional<double> seconds = {});
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    Watch(Watch&&) = delete;
    Watch& operator=(Watch&&) = delete;

    [[nodiscard]] base::JobContext context();
    [[nodiscard]] bool stopped() const { return m_work.stop_requested(); }
    /// Whether anything is shown.
    [[nodiscard]] bool isShown() const { return !m_what.empty(); }
    /// Shows a text after the percentage, such as the best answer so far. From any thread.
    void tell(std::string text);

private:
    void loop(const std::stop_token& over);

    std::string m_what;
    std::optional<std::chrono::steady_clock::time_point> m_deadline;
    std::stop_source m_work;
    base::Progress m_progress;
    std::mutex m_mutex;
    std::string m_told;    ///< under m_mutex
    std::jthread m_thread; ///< last: it uses the rest
};

} // namespace plimsoll::cli

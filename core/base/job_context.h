// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <stop_token>

namespace plimsoll::base {

class CurveSoFar;

/// Progress of one job in per mille. Written by the worker, read by anybody at any time.
class Progress
{
public:
    void set(int perMille) { m_perMille.store(perMille, std::memory_order_relaxed); }
    [[nodiscard]] int perMille() const { return m_perMille.load(std::memory_order_relaxed); }

private:
    std::atomic<int> m_perMille{0};
};

/// Passed to every long piece of core work: a way to be stopped and a cell to report progress into.
/// Core knows neither threads nor Qt. A default constructed context never stops and reports to
/// nobody.
struct JobContext
{
    std::stop_token stop;
    Progress* progress = nullptr;
    int begin = 0;               ///< per mille at which this piece of the work begins
    int end = 1000;              ///< and ends
    CurveSoFar* curve = nullptr; ///< to show while the work goes on; null: nobody looks

    [[nodiscard]] bool stopRequested() const { return stop.stop_requested(); }
    /// `done` of `total` steps are over.
    void report(std::size_t done, std::size_t total) const
    {
        if (progress != nullptr && total > 0)
            progress->set(begin
                          + static_cast<int>(done * static_cast<std::size_t>(end - begin) / total));
    }
    /// The context of one of `count` equally long pieces of this work, one after the other:
    /// progress never falls.
    [[nodiscard]] JobContext piece(int index, int count) const
    {
        const int span = end - begin;
        return {.stop = stop,
                .progress = progress,
                .begin = begin + span * index / count,
                .end = begin + span * (index + 1) / count,
                .curve = curve};
    }
};

} // namespace plimsoll::base

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/memory_trace.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::waterfall {

/// How the events of one training step were told from the others.
enum class StepFrom : std::uint8_t {
    Annotation, ///< a numbered range of the recording, such as "ProfilerStep#3"
    Phases,     ///< forward, backward and optimizer follow one another, by the stacks
    Recording,  ///< neither: all of the recording
};

/// The events begin..end - 1 of a device.
struct StepWindow
{
    memtrace::EventIndex begin = 0;
    memtrace::EventIndex end = 0;
    StepFrom from = StepFrom::Recording;
    std::string name;       ///< of the annotation
    std::size_t number = 1; ///< of the steps that were found, the first being 1
    std::size_t count = 1;
    bool isWhole = true; ///< an allocation failed in it otherwise: it ends there

    /// "step 3 of 3": to follow "of" or "in".
    [[nodiscard]] std::string text() const;
};

/// The steps of a recording, in order; at least one. A step begins with the first allocation of
/// forward, or its annotation, and ends where the next one begins. What is allocated before the
/// first one, such as parameters, belongs to none. One in which an allocation fails ends there, and
/// isn't whole; one that the recording's end cuts off otherwise is left out. `accumulates`: forward
/// and backward run several times in a step, so that only the optimizer ends it.
[[nodiscard]] std::vector<StepWindow> recordedSteps(const memtrace::MemoryTrace& trace,
                                                    const memtrace::DeviceTrace& device,
                                                    bool accumulates);
/// The last whole one of them: later ones are the steadiest. None if an allocation fails in each.
[[nodiscard]] std::optional<StepWindow> lastWholeStep(const memtrace::MemoryTrace& trace,
                                                      const memtrace::DeviceTrace& device,
                                                      bool accumulates);

/// Bytes that are live after each event of the window, as requested.
[[nodiscard]] std::vector<std::int64_t> liveInWindow(const memtrace::DeviceTrace& device,
                                                     const StepWindow& window);

} // namespace plimsoll::waterfall

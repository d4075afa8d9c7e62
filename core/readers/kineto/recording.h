// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/curve_so_far.h"
#include "core/readers/kineto/collected.h"
#include "core/readers/kineto/event.h"
#include "core/readers/kineto/splitter.h"
#include "core/readers/kineto/threads.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace plimsoll::readers::kineto {

/// Keeps of a trace what tells about memory. Files list events thread by thread: nothing can be
/// made of them before all have been seen.
class Recording final : public Pieces
{
public:
    /// `curve`: see memtrace::Builder.
    explicit Recording(base::CurveSoFar* curve = nullptr) : m_curve{curve} {}

    void takeEvent(std::string_view text) override;
    void takeValue(std::string_view key, std::string_view text) override;
    void takeOther() override { m_collected.builder.count("events_of_other_types"); }

    [[nodiscard]] std::size_t memoryBytes() const override;

    [[nodiscard]] Collected take() &&;

private:
    /// Files of newer versions list what happened in the order of time, so that there is a curve
    /// before all has been seen; of others the builder makes it.
    void feedCurve(const MemoryEvent& event);
    void takeMemory(const TraceEvent& event, bool isFailure);
    void takeSpan(const TraceEvent& event, Span::Kind kind);
    void takeGpuRange(const TraceEvent& event);
    void takeDevices(std::string_view text);

    struct Device
    {
        base::CurveFeed feed;
        std::uint64_t live = 0; ///< since the first event; may be below 0, wrapped
    };

    Collected m_collected;
    EventParser m_parser;
    Threads m_threads;
    base::CurveSoFar* m_curve; ///< null: nobody looks, or the file has another order
    std::map<int, Device> m_fed;
    std::optional<std::int64_t> m_deviceType; ///< of the devices that are shown
};

} // namespace plimsoll::readers::kineto

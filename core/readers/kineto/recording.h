// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/kineto/collected.h"
#include "core/readers/kineto/event.h"
#include "core/readers/kineto/splitter.h"
#include "core/readers/kineto/threads.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace plimsoll::readers::kineto {

/// Keeps of a trace what tells about memory. Files list events thread by thread: nothing can be
/// made of them before all have been seen.
class Recording final : public Pieces
{
public:
    void takeEvent(std::string_view text) override;
    void takeValue(std::string_view key, std::string_view text) override;
    void takeOther() override { m.builder.count("events_of_other_types"); }

    [[nodiscard]] std::size_t memoryBytes() const override;

    [[nodiscard]] Collected take() && { return std::move(m); }

private:
    void takeMemory(const TraceEvent& event, bool isFailure);
    void takeSpan(const TraceEvent& event, Span::Kind kind);
    void takeGpuRange(const TraceEvent& event);
    void takeDevices(std::string_view text);

    Collected m;
    EventParser m_parser;
    Threads m_threads;
    std::optional<std::int64_t> m_deviceType; ///< of the devices that are shown
};

} // namespace plimsoll::readers::kineto

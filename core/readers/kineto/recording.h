// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/kineto/collected.h"
#include "core/readers/kineto/event.h"
#include "core/readers/kineto/splitter.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
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

    [[nodiscard]] Collected take() && { return std::move(m); }

    /// At most, within a few percent.
    [[nodiscard]] std::size_t memoryBytes() const;

private:
    void takeMemory(const TraceEvent& event, bool isFailure);
    void takeSpan(const TraceEvent& event, Span::Kind kind);
    void takeGpuRange(const TraceEvent& event);
    void takeDevices(std::string_view text);
    [[nodiscard]] std::uint32_t threadOf(const TraceEvent& event);

    Collected m;
    EventParser m_parser;
    std::unordered_map<std::string, std::uint32_t> m_threads;
    std::string m_threadKey;
    std::optional<std::int64_t> m_deviceType; ///< of the devices that are shown
};

} // namespace plimsoll::readers::kineto

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/capture/capture.h"
#include "core/memtrace/builder.h"

#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace plimsoll::readers::capture {

/// The stacks that a recording has: one frame, the function of CUDA that was called, with its
/// thread.
class CallStacks
{
public:
    /// Both outlive the object.
    CallStacks(const plimsoll::capture::Capture& capture, memtrace::Builder& builder);

    [[nodiscard]] memtrace::StackId of(const plimsoll::capture::wire::Memory& memory);
    [[nodiscard]] memtrace::StackId of(const plimsoll::capture::wire::Mapping& mapping);

private:
    [[nodiscard]] memtrace::StackId stack(std::string_view function, std::uint32_t thread);

    const plimsoll::capture::Capture& m_capture;
    memtrace::StackTableBuilder& m_stacks;
    /// By correlation; of the runtime's and the driver's call that share one the runtime's.
    std::unordered_map<std::uint32_t, const plimsoll::capture::wire::Call*> m_calls;
};

} // namespace plimsoll::readers::capture

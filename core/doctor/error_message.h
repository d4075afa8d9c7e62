// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::doctor {

/// The longest text in which a message is looked for.
inline constexpr std::size_t kMostMessageBytes = std::size_t{64} << 10U;

/// A size as somebody tells it. PyTorch prints "1.25 GiB": the size lies within `error` of it, half
/// a unit of the last digit. 0: exact.
struct ToldBytes
{
    base::Bytes value;
    base::Bytes error;

    bool operator==(const ToldBytes&) const = default;
    friend ToldBytes operator+(ToldBytes a, ToldBytes b)
    {
        return {a.value + b.value, a.error + b.error};
    }
};

/// What PyTorch says when an allocation fails. What a version doesn't say is missing.
struct ErrorMessage
{
    struct Process
    {
        std::int64_t pid = 0;
        ToldBytes used;
        bool operator==(const Process&) const = default;
    };

    std::string backend;               ///< "CUDA", "HIP", "XPU", "MPS"
    std::optional<int> device;         ///< ordinal
    std::optional<ToldBytes> asked;    ///< what the allocator asked the driver for
    std::optional<ToldBytes> capacity; ///< of the device
    std::optional<ToldBytes> free;     ///< according to the driver
    std::optional<ToldBytes> allowed;  ///< to the process, see limitName()
    std::optional<ToldBytes> allocated;
    /// Part of `allocated`, though no block that is in use has it: idle in pools of CUDA graphs and
    /// MemPools.
    std::optional<ToldBytes> privatePools;
    std::optional<ToldBytes> reserved;
    std::optional<ToldBytes> unallocated; ///< reserved, but in no block that is in use
    std::optional<ToldBytes> thisProcess; ///< what the driver counts for it
    std::optional<ToldBytes> foreign;     ///< in this process, outside PyTorch's allocator (MPS)
    std::vector<Process> processes;       ///< other ones, as far as PyTorch could tell

    std::size_t messages = 1; ///< in the text; this is the first one
};

/// What sets ErrorMessage::allowed, such as "torch.cuda.set_per_process_memory_fraction()".
[[nodiscard]] std::string_view limitName(const ErrorMessage& message);

/// Finds the first message in a text, such as a traceback or a log, wherever lines are broken in
/// it. Follows c10/cuda/CUDACachingAllocator.cpp, CUDAMallocAsyncAllocator.cpp,
/// c10/xpu/XPUCachingAllocator.cpp and ATen/mps/MPSAllocator.mm of PyTorch 1.8 to 2.15. File error,
/// a sentence, where the text is too long or has none.
[[nodiscard]] base::Result<ErrorMessage> parseErrorMessage(std::string_view text);

} // namespace plimsoll::doctor

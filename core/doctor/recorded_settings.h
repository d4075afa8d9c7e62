// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/allocator/allocator_settings.h"
#include "core/memtrace/memory_trace.h"

#include <string>
#include <string_view>

namespace plimsoll::doctor {

/// With which settings PyTorch's allocator ran while it was recorded.
struct RecordedSettings
{
    allocator::AllocatorSettings settings;
    /// As PYTORCH_CUDA_ALLOC_CONF gives them; empty for the defaults.
    std::string text;
    /// Why they may have been others, a sentence; empty if they are known.
    std::string doubt;
};

/// From the settings that a snapshot of PyTorch has. Its figures count, since a program can change
/// them while it runs; the text adds what has no figure of its own.
[[nodiscard]] RecordedSettings recordedSettings(const memtrace::MemoryTrace& trace);

/// A text of settings with one option set to a value, in the place of the one that it had:
/// ("max_split_size_mb:64", "expandable_segments", "True") gives
/// "max_split_size_mb:64,expandable_segments:True".
[[nodiscard]] std::string withOption(std::string_view text, std::string_view name,
                                     std::string_view value);

} // namespace plimsoll::doctor

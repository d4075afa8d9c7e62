// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/ops/op_recording.h"
#include "core/readers/descriptor.h"
#include "core/readers/kineto/launches.h"
#include "core/readers/kineto/recording.h"
#include "core/readers/kineto/walk.h"

#include <string>
#include <string_view>
#include <utility>

namespace plimsoll::readers::kineto {

inline constexpr const char* kFormatId = "kineto";

/// Reads what a trace of PyTorch's profiler (FORMAT.md) tells about memory.
class Reading
{
public:
    /// `name`: the file, as named in messages. `curve`: see memtrace::Builder.
    explicit Reading(std::string name, base::CurveSoFar* curve = nullptr)
        : m_recording{curve}, m_walk{std::move(name), m_recording}
    {
    }

    [[nodiscard]] base::Result<void> feed(std::string_view part) { return m_walk.feed(part); }
    [[nodiscard]] base::Result<ReadProfile> finish(const base::JobContext& context = {});
    [[nodiscard]] Walk& walk() { return m_walk; }
    [[nodiscard]] std::size_t memoryBytes() const { return m_walk.memoryBytes(); }
    static constexpr std::size_t kFreeBytes = Walk::kFreeBytes;

private:
    Recording m_recording;
    Walk m_walk;
};

/// Reads what a trace tells about operators and the time that the GPU took for them.
class OpReading
{
public:
    explicit OpReading(std::string name) : m_walk{std::move(name), m_launches} {}

    [[nodiscard]] base::Result<void> feed(std::string_view part) { return m_walk.feed(part); }
    [[nodiscard]] base::Result<memtrace::OpRecordingPtr>
    finish(const base::JobContext& context = {});
    [[nodiscard]] Walk& walk() { return m_walk; }

private:
    Launches m_launches;
    Walk m_walk;
};

/// What `torch.profiler`'s export_chrome_trace() writes: FORMAT.md.
[[nodiscard]] ReaderDescriptor descriptor();

} // namespace plimsoll::readers::kineto

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/io/content_hash.h"
#include "core/readers/descriptor.h"
#include "core/readers/kineto/recording.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll::readers::kineto {

inline constexpr const char* kFormatId = "kineto";

/// Reads a trace of PyTorch's profiler (FORMAT.md) that comes in parts of any size, from front to
/// back. What it keeps is bounded by what the trace is long.
class Reading
{
public:
    /// `name`: the file, as named in messages.
    explicit Reading(std::string name) : m_name{std::move(name)} {}
    Reading(const Reading&) = delete; // its parts refer to each other
    Reading& operator=(const Reading&) = delete;

    /// `compressed`: offsets count decompressed bytes, as messages say.
    [[nodiscard]] base::Result<void> feed(std::string_view part, bool compressed = false);
    [[nodiscard]] base::Result<ReadProfile> finish(const base::JobContext& context = {});
    [[nodiscard]] std::size_t memoryBytes() const
    {
        return m_recording.memoryBytes() + m_splitter.memoryBytes();
    }

    /// What a trace may take in memory however short it is.
    static constexpr std::size_t kFreeBytes = std::size_t{64} << 20U;

private:
    [[nodiscard]] tl::unexpected<base::Error> refused(std::string_view fault) const;

    std::string m_name;
    Recording m_recording;
    Splitter m_splitter{m_recording};
    io::PartsHash m_hash;
    std::uint64_t m_fed = 0;
    bool m_compressed = false;
};

/// What `torch.profiler`'s export_chrome_trace() writes: FORMAT.md.
[[nodiscard]] ReaderDescriptor descriptor();

} // namespace plimsoll::readers::kineto

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/io/content_hash.h"
#include "core/readers/descriptor.h"
#include "core/readers/torch_snapshot/content.h"

#include <memory>

namespace plimsoll::readers::torch_snapshot {

inline constexpr const char* kFormatId = "torch-snapshot";

/// What torch.cuda.memory._dump_snapshot() writes: FORMAT.md.
[[nodiscard]] ReaderDescriptor descriptor();
[[nodiscard]] bool sniff(std::string_view head);

/// Reads a snapshot that comes in parts of any size, and keeps nothing of them. Hostile content is
/// an error, never a crash. Takes three bytes of memory for each byte of the content at most, and
/// kFreeBytes; of a compressed file, what MemoryBound allows.
class Reading
{
public:
    static constexpr std::size_t kFreeBytes = std::size_t{192} << 20U;

    /// `name`: of the file, for messages. `curve`: see memtrace::Builder.
    explicit Reading(std::string name, base::CurveSoFar* curve = nullptr);

    /// `file`: of a compressed one, offsets count decompressed bytes, and messages say so.
    [[nodiscard]] base::Result<void> feed(std::string_view part, const io::FileFacts& file = {});
    /// After the last part. Once.
    [[nodiscard]] base::Result<ReadProfile> finish(const base::JobContext& context = {});

    /// About what has been taken, the builder's part included.
    [[nodiscard]] std::size_t memoryBytes() const;

private:
    [[nodiscard]] tl::unexpected<base::Error> refused(std::string_view fault) const;

    std::string m_name;
    memtrace::Builder m_builder;
    PickleMemo m_memo;
    PickleTexts m_texts;
    SnapshotContent m_content;
    PickleMachine m_machine;
    io::PartsHash m_hash;
    std::uint64_t m_fed = 0;
    io::FileFacts m_file;
};

} // namespace plimsoll::readers::torch_snapshot

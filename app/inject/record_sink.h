// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/inject/chunk_file.h"
#include "core/capture/wire.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace plimsoll::inject {

/// Puts records into chunks and chunks into the file. After an error of the file it takes records
/// and keeps none. Used by one thread.
class RecordSink
{
public:
    explicit RecordSink(ChunkFile& file);

    template <typename Record>
    void add(const Record& record)
    {
        append(std::as_bytes(std::span{&record, 1}), {});
    }
    /// The id of a text, which is added if it is new; 0 for null. CUPTI's names stay where they are
    /// while their module is loaded, so that most are recognised by their address.
    [[nodiscard]] std::uint32_t text(const char* name);
    [[nodiscard]] std::uint32_t text(std::string_view text);

    /// Writes what was added since the last chunk.
    void seal();

    [[nodiscard]] std::uint64_t records() const { return m_records; }
    /// errno of the write that failed; 0: none did.
    [[nodiscard]] int error() const { return m_error; }
    /// Tries again, after an error: for a last word into what a chunk that didn't fit left free.
    void forgetError() { m_error = 0; }

private:
    struct Seen
    {
        std::uint32_t id = 0;
        std::string text;
    };

    void append(std::span<const std::byte> record, std::string_view behind);
    void beginChunk();

    ChunkFile& m_file;
    std::vector<std::byte> m_chunk; ///< begins with the file's head, before the first, and its own
    std::size_t m_headAt = 0;
    std::uint32_t m_chunkRecords = 0;
    std::uint64_t m_sequence = 0;
    std::uint64_t m_records = 0;
    int m_error = 0;
    std::uint32_t m_lastText = 0;
    std::unordered_map<std::string, std::uint32_t> m_texts;
    std::unordered_map<const char*, Seen> m_names;
};

} // namespace plimsoll::inject

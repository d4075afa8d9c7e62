// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/capture/checksum.h"
#include "core/capture/wire_activity.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace plimsoll::tests {

/// Writes the bytes of a capture file, also ones that no recorder writes.
class CaptureFile
{
public:
    CaptureFile() { begin(capture::wire::FileHead{}); }
    explicit CaptureFile(const capture::wire::FileHead& head) { begin(head); }

    template <typename Record>
    CaptureFile& add(Record record)
    {
        return addRaw({reinterpret_cast<const char*>(&record), sizeof(record)});
    }
    /// A record with more bytes than we know of its kind.
    template <typename Record>
    CaptureFile& addLonger(Record record, std::size_t more)
    {
        record.head.bytes += static_cast<std::uint32_t>(more);
        return addRaw(std::string{reinterpret_cast<const char*>(&record), sizeof(record)}
                      + std::string(more, 'x'));
    }
    CaptureFile& addText(std::uint32_t id, std::string_view text)
    {
        capture::wire::Text record;
        record.id = id;
        record.length = static_cast<std::uint32_t>(text.size());
        const std::size_t padded = (text.size() + 7) / 8 * 8;
        record.head.bytes = static_cast<std::uint32_t>(sizeof(record) + padded);
        std::string bytes{reinterpret_cast<const char*>(&record), sizeof(record)};
        bytes += text;
        bytes.resize(record.head.bytes);
        return addRaw(bytes);
    }
    CaptureFile& addRaw(std::string_view record)
    {
        m_records += record;
        ++m_count;
        return *this;
    }
    /// Ends a chunk. The checksum is right whatever its records are.
    CaptureFile& seal(std::int64_t sequence = -1, int countError = 0)
    {
        capture::wire::ChunkHead head;
        head.bytes = static_cast<std::uint32_t>(m_records.size());
        head.sequence = sequence >= 0 ? static_cast<std::uint64_t>(sequence) : m_sequence;
        head.records = m_count + static_cast<std::uint32_t>(countError);
        head.checksum =
            capture::wire::checksum(std::as_bytes(std::span{m_records}),
                                    capture::wire::checksum(std::as_bytes(std::span{&head, 1})));
        m_bytes.append(reinterpret_cast<const char*>(&head), sizeof(head));
        m_bytes += m_records;
        m_records.clear();
        m_count = 0;
        ++m_sequence;
        return *this;
    }

    [[nodiscard]] const std::string& bytes() const { return m_bytes; }

private:
    void begin(const capture::wire::FileHead& head)
    {
        m_bytes.assign(reinterpret_cast<const char*>(&head), sizeof(head));
    }

    std::string m_bytes;
    std::string m_records;
    std::uint32_t m_count = 0;
    std::uint64_t m_sequence = 0;
};

} // namespace plimsoll::tests

// SPDX-License-Identifier: Apache-2.0
#include "core/capture/decode.h"

#include "core/capture/checksum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

namespace plimsoll::capture {

namespace {

using base::ErrorKind;
using base::Result;

/// The first bytes of `bytes` as a value; what is missing stays as it was made.
template <typename Value>
Value valueOf(std::string_view bytes)
{
    static_assert(std::is_trivially_copyable_v<Value>);
    Value value;
    std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof(value)));
    return value;
}

/// Appends records of kinds that the file has many of.
class Records
{
public:
    explicit Records(Capture& capture) : m_capture{capture} {}

    /// False if the record makes no sense.
    [[nodiscard]] bool add(const wire::RecordHead& head, std::string_view record)
    {
        switch (head.kind) {
        case wire::Kind::Process: return set(m_capture.process, record);
        case wire::Kind::Clock: return push(m_capture.clocks, record);
        case wire::Kind::Text: return addText(record);
        case wire::Kind::Status: return addStatus(record);
        case wire::Kind::Drops: return set(m_capture.drops, record);
        case wire::Kind::End: return m_capture.ended = true;
        case wire::Kind::Device: return push(m_capture.devices, record);
        case wire::Kind::Context: return push(m_capture.contexts, record);
        case wire::Kind::Memory: return push(m_capture.memory, record);
        case wire::Kind::Pool: return push(m_capture.pools, record);
        case wire::Kind::Mapping: return push(m_capture.mappings, record);
        case wire::Kind::Kernel: return push(m_capture.kernels, record);
        case wire::Kind::Copy: return push(m_capture.copies, record);
        case wire::Kind::Fill: return push(m_capture.fills, record);
        case wire::Kind::Call: return push(m_capture.calls, record);
        case wire::Kind::Marker: return push(m_capture.markers, record);
        case wire::Kind::ExternalId: return push(m_capture.externalIds, record);
        }
        ++m_capture.unknownRecords;
        return true;
    }

private:
    /// A record may be longer than we know, never shorter.
    template <typename Record>
    [[nodiscard]] static bool set(Record& to, std::string_view record)
    {
        if (record.size() < sizeof(Record))
            return false;
        to = valueOf<Record>(record);
        return true;
    }

    template <typename Record>
    [[nodiscard]] static bool push(std::vector<Record>& to, std::string_view record)
    {
        return set(to.emplace_back(), record);
    }

    [[nodiscard]] bool addText(std::string_view record)
    {
        wire::Text text;
        if (!set(text, record) || text.id != m_capture.texts.size()
            || text.length > record.size() - sizeof(text))
            return false;
        m_capture.texts.emplace_back(record.substr(sizeof(text), text.length));
        return true;
    }

    [[nodiscard]] bool addStatus(std::string_view record)
    {
        wire::Status status;
        if (!set(status, record))
            return false;
        m_capture.statuses.push_back({.code = status.code,
                                      .severity = status.severity,
                                      .detail = status.detail,
                                      .text = std::string{m_capture.text(status.text)}});
        return true;
    }

    Capture& m_capture;
};

/// The payload of a chunk that is complete at the beginning of `rest`.
std::optional<std::string_view> completeChunk(std::string_view rest, std::uint64_t sequence)
{
    if (rest.size() < sizeof(wire::ChunkHead))
        return std::nullopt;
    auto head = valueOf<wire::ChunkHead>(rest);
    const std::string_view behind = rest.substr(sizeof(head));
    if (head.magic != wire::kChunkMagic || head.sequence != sequence
        || head.bytes > std::min<std::size_t>(behind.size(), wire::kMostChunkBytes))
        return std::nullopt;
    const std::string_view payload = behind.substr(0, head.bytes);
    const std::uint32_t expected = std::exchange(head.checksum, 0);
    const std::uint32_t sum = wire::checksum(std::as_bytes(std::span{&head, 1}));
    return wire::checksum(std::as_bytes(std::span{payload}), sum) == expected
               ? std::optional{payload}
               : std::nullopt;
}

/// False if the records make no sense: nobody's cut or flipped bit, since the checksum is right.
bool addChunk(std::string_view payload, std::uint32_t count, Records& records)
{
    for (; !payload.empty(); --count) {
        if (payload.size() < sizeof(wire::RecordHead) || count == 0)
            return false;
        const auto head = valueOf<wire::RecordHead>(payload);
        if (head.bytes < sizeof(head) || head.bytes % 8 != 0 || head.bytes > payload.size()
            || !records.add(head, payload.substr(0, head.bytes)))
            return false;
        payload.remove_prefix(head.bytes);
    }
    return count == 0;
}

} // namespace

bool isCapture(std::string_view head)
{
    return head.starts_with(std::string_view{wire::kFileMagic.data(), wire::kFileMagic.size()});
}

Result<Capture> decode(std::string_view bytes, std::string_view name,
                       const base::JobContext& context)
{
    if (!isCapture(bytes))
        return base::failure(ErrorKind::File, fmt::format("{} is not a Plimsoll recording.", name));
    Capture capture;
    const auto fileHead = valueOf<wire::FileHead>(bytes);
    if (bytes.size() < sizeof(fileHead)) {
        capture.leftOver = bytes.size();
        return capture;
    }
    if (fileHead.version != wire::kVersion || fileHead.bytes < sizeof(fileHead)
        || fileHead.bytes % 8 != 0)
        return base::failure(ErrorKind::File,
                             fmt::format("{} has version {} of the recording format, but this "
                                         "Plimsoll reads version {}: update Plimsoll.",
                                         name, fileHead.version, wire::kVersion));
    std::size_t at = std::min<std::size_t>(fileHead.bytes, bytes.size());
    Records records{capture};
    while (const auto payload = completeChunk(bytes.substr(at), capture.chunks)) {
        const auto count = valueOf<wire::ChunkHead>(bytes.substr(at)).records;
        if (!addChunk(*payload, count, records))
            return base::failure(
                ErrorKind::File,
                fmt::format("{} is damaged at byte {}: its records don't fit together, so that it "
                            "can't be read.",
                            name, at));
        at += sizeof(wire::ChunkHead) + payload->size();
        ++capture.chunks;
        if (context.stopRequested())
            return base::cancelled();
        context.report(at, bytes.size());
    }
    capture.leftOver = bytes.size() - at;
    return capture;
}

} // namespace plimsoll::capture

// SPDX-License-Identifier: Apache-2.0
#include "core/capture/decode.h"

#include "core/base/format.h"
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

    /// So many bytes of records are not known: the next text's id may be higher by what they held.
    void skipped(std::size_t bytes) { m_mostLostTexts += bytes / sizeof(wire::Text); }

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
        const std::size_t next = m_capture.texts.size();
        if (!set(text, record) || text.id < next || text.id - next > m_mostLostTexts
            || text.length > record.size() - sizeof(text))
            return false;
        m_capture.texts.resize(text.id);
        m_mostLostTexts = 0;
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
    std::size_t m_mostLostTexts = 0;
};

/// A chunk of which all bytes are there.
struct Chunk
{
    wire::ChunkHead head;
    std::string_view payload;

    [[nodiscard]] std::size_t bytes() const { return sizeof(head) + payload.size(); }
    [[nodiscard]] bool isIntact() const
    {
        wire::ChunkHead summed = head;
        summed.checksum = 0;
        const std::uint32_t sum = wire::checksum(std::as_bytes(std::span{&summed, 1}));
        return wire::checksum(std::as_bytes(std::span{payload}), sum) == head.checksum;
    }
};

/// The chunk at the beginning of `rest`, if it looks like one and isn't cut.
std::optional<Chunk> chunkAt(std::string_view rest)
{
    if (rest.size() < sizeof(wire::ChunkHead))
        return std::nullopt;
    const auto head = valueOf<wire::ChunkHead>(rest);
    const std::string_view behind = rest.substr(sizeof(head));
    if (head.magic != wire::kChunkMagic
        || head.bytes > std::min<std::size_t>(behind.size(), wire::kMostChunkBytes))
        return std::nullopt;
    return Chunk{head, behind.substr(0, head.bytes)};
}

/// Finds where a file goes on behind a damaged chunk.
class Resumption
{
public:
    explicit Resumption(std::string_view bytes) : m_bytes{bytes} {}

    /// `at` is where the chunk with number `sequence` should be. The end of the file if that is the
    /// last one and has all its bytes; none if nothing whole follows, as in a file that is cut.
    [[nodiscard]] std::optional<std::size_t> after(std::size_t at, std::uint64_t sequence)
    {
        if (const std::optional<Chunk> damaged = chunkAt(m_bytes.substr(at));
            damaged && damaged->head.sequence == sequence) {
            const std::size_t end = at + damaged->bytes();
            if (end == m_bytes.size() || isLater(end, at, sequence))
                return end;
        }
        const std::string_view magic{reinterpret_cast<const char*>(&wire::kChunkMagic),
                                     sizeof(wire::kChunkMagic)};
        constexpr std::size_t kAlignment = 8; // of chunks
        for (std::size_t next = m_bytes.find(magic, at + 1); next != std::string_view::npos;
             next = m_bytes.find(magic, next + 1))
            if ((next - at) % kAlignment == 0 && isLater(next, at, sequence))
                return next;
        return std::nullopt;
    }

private:
    /// Whether a whole chunk begins at `next` with a number that those before it left room for.
    bool isLater(std::size_t next, std::size_t at, std::uint64_t sequence)
    {
        constexpr int kMostAttempts = 64; // a crafted file could have us add up megabytes for each
        const std::optional<Chunk> chunk = chunkAt(m_bytes.substr(next));
        if (!chunk || chunk->head.sequence <= sequence
            || chunk->head.sequence - sequence > (next - at) / sizeof(wire::ChunkHead)
            || m_failedAttempts >= kMostAttempts)
            return false;
        const bool isIntact = chunk->isIntact();
        m_failedAttempts += isIntact ? 0 : 1;
        return isIntact;
    }

    std::string_view m_bytes;
    int m_failedAttempts = 0;
};

void addDamage(Damage& damage, std::size_t at, std::size_t bytes, std::uint64_t chunks)
{
    if (damage.chunks == 0)
        damage.firstAt = at;
    damage.chunks += chunks;
    damage.bytes += bytes;
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

/// What begins at byte `at`, behind the head of the file.
Result<Capture> decodeChunks(std::string_view bytes, std::size_t at, std::string_view name,
                             const base::JobContext& context)
{
    Capture capture;
    Records records{capture};
    Resumption resumption{bytes};
    std::uint64_t sequence = 0;
    while (at < bytes.size() && !capture.damage.isAtEnd) {
        const std::optional<Chunk> chunk = chunkAt(bytes.substr(at));
        if (chunk && chunk->isIntact()) {
            if (chunk->head.sequence != sequence)
                break;
            if (!addChunk(chunk->payload, chunk->head.records, records))
                return base::failure(
                    ErrorKind::File,
                    fmt::format("{} is damaged at byte {}: its records don't fit together, so that "
                                "it can't be read.",
                                name, at));
            at += chunk->bytes();
            ++capture.chunks;
            ++sequence;
        } else if (const auto next = resumption.after(at, sequence)) {
            capture.damage.isAtEnd = *next == bytes.size();
            const std::uint64_t found =
                capture.damage.isAtEnd ? sequence + 1 : chunkAt(bytes.substr(*next))->head.sequence;
            addDamage(capture.damage, at, *next - at, found - sequence);
            records.skipped(*next - at);
            at = *next;
            sequence = found;
        } else {
            break;
        }
        if (context.stopRequested())
            return base::cancelled();
        context.report(at, bytes.size());
    }
    capture.leftOver = bytes.size() - at;
    return capture;
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
    return decodeChunks(bytes, std::min<std::size_t>(fileHead.bytes, bytes.size()), name, context);
}

std::string damageText(const Damage& damage)
{
    if (damage.chunks == 0)
        return {};
    const bool isOne = damage.chunks == 1;
    return fmt::format("The file is damaged at byte {}: {} ({}) can't be read, so that what was "
                       "recorded in {} is missing{}.",
                       damage.firstAt, base::counted(damage.chunks, "part"),
                       base::bytesText(base::Bytes{static_cast<std::int64_t>(damage.bytes)}),
                       isOne ? "it" : "them",
                       damage.isAtEnd ? ", up to the end of the recording"
                       : isOne        ? "; the parts behind it are read"
                                      : "; the others are read");
}

} // namespace plimsoll::capture

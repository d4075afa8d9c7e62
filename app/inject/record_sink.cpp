// SPDX-License-Identifier: Apache-2.0
#include "app/inject/record_sink.h"

#include "core/capture/checksum.h"

#include <cstring>

namespace plimsoll::inject {

namespace {

namespace wire = capture::wire;

constexpr std::size_t kChunkBytes = std::size_t{256} << 10U;
/// Names that a program makes up without end must not take its memory: what was seen is forgotten
/// then, and a text is written again.
constexpr std::size_t kMostTexts = std::size_t{1} << 16U;
constexpr std::size_t kLongestText = 4096;
constexpr std::size_t kAlignment = 8;

template <typename Value>
std::span<const std::byte> bytesOf(const Value& value)
{
    return std::as_bytes(std::span{&value, 1});
}

} // namespace

RecordSink::RecordSink(ChunkFile& file) : m_file{file}
{
    m_chunk.reserve(kChunkBytes + kLongestText + 1024);
    const wire::FileHead fileHead;
    const std::span<const std::byte> head = bytesOf(fileHead);
    m_chunk.assign(head.begin(), head.end());
    beginChunk();
}

void RecordSink::beginChunk()
{
    m_headAt = m_chunk.size();
    m_chunk.resize(m_headAt + sizeof(wire::ChunkHead));
    m_chunkRecords = 0;
}

void RecordSink::append(std::span<const std::byte> record, std::string_view behind)
{
    m_chunk.insert(m_chunk.end(), record.begin(), record.end());
    const std::span<const std::byte> bytes = std::as_bytes(std::span{behind});
    m_chunk.insert(m_chunk.end(), bytes.begin(), bytes.end());
    m_chunk.resize(m_chunk.size() + (kAlignment - bytes.size() % kAlignment) % kAlignment);
    ++m_chunkRecords;
    if (m_chunk.size() >= kChunkBytes)
        seal();
}

std::uint32_t RecordSink::text(std::string_view text)
{
    if (text.empty())
        return 0;
    text = text.substr(0, kLongestText);
    const auto found = m_texts.find(std::string{text});
    if (found != m_texts.end())
        return found->second;
    if (m_texts.size() >= kMostTexts) {
        m_texts.clear();
        m_names.clear();
    }
    wire::Text record;
    record.id = ++m_lastText;
    record.length = static_cast<std::uint32_t>(text.size());
    record.head.bytes = static_cast<std::uint32_t>(
        sizeof(record) + (text.size() + kAlignment - 1) / kAlignment * kAlignment);
    m_texts.emplace(text, record.id);
    append(bytesOf(record), text);
    return record.id;
}

std::uint32_t RecordSink::text(const char* name)
{
    if (name == nullptr)
        return 0;
    const auto seen = m_names.find(name);
    if (seen != m_names.end() && seen->second.text == name)
        return seen->second.id;
    const std::uint32_t id = text(std::string_view{name});
    m_names[name] = {id, name};
    if (m_names.size() > kMostTexts)
        m_names.clear();
    return id;
}

void RecordSink::seal()
{
    if (m_chunkRecords == 0)
        return;
    if (m_error == 0) {
        const std::span<std::byte> chunk = std::span{m_chunk}.subspan(m_headAt);
        wire::ChunkHead head;
        head.bytes = static_cast<std::uint32_t>(chunk.size() - sizeof(head));
        head.sequence = m_sequence;
        head.records = m_chunkRecords;
        head.checksum = wire::checksum(chunk.subspan(sizeof(head)), wire::checksum(bytesOf(head)));
        std::memcpy(chunk.data(), &head, sizeof(head));
        m_error = m_file.append(m_chunk);
    }
    if (m_error == 0) {
        m_records += m_chunkRecords;
        ++m_sequence;
    }
    m_chunk.resize(m_error == 0 || m_sequence > 0 ? 0 : m_headAt);
    beginChunk();
}

} // namespace plimsoll::inject

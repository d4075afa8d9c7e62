// SPDX-License-Identifier: Apache-2.0
#include "core/readers/torch_snapshot/repeated_lists.h"

#include "core/readers/torch_snapshot/pickle_opcodes.h"

#include <algorithm>
#include <cstring>

namespace plimsoll::readers::torch_snapshot {

namespace {

/// Whether the bytes are opcodes that get memo entries, and then APPENDS.
bool onlyGets(std::string_view bytes)
{
    std::size_t at = 0;
    while (at + 1 < bytes.size()) {
        const auto opcode = static_cast<unsigned char>(bytes[at]);
        if (opcode != op::BinGet && opcode != op::LongBinGet)
            return false;
        at += opcode == op::BinGet ? 2 : 5;
    }
    return at + 1 == bytes.size();
}

} // namespace

RepeatedLists::Bucket& RepeatedLists::bucketOf(std::string_view bytes)
{
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::memcpy(&first, bytes.data(), sizeof first);
    std::memcpy(&second, bytes.data() + sizeof first, sizeof second);
    const std::uint64_t hash = ((first * kOdd) ^ second) * kOdd;
    return m_buckets[hash >> 52U];
}

RepeatedLists::Match RepeatedLists::find(std::string_view bytes)
{
    if (bytes.size() < kKey || m_buckets.empty())
        return {};
    Bucket& bucket = bucketOf(bytes);
    for (std::size_t way = 0; way < kWays && bucket.at(way).size > 0; ++way) {
        const Entry entry = bucket.at(way);
        if (entry.size > bytes.size()
            || std::memcmp(bytes.data(), m_bytes.data() + entry.begin, entry.size) != 0)
            continue;
        std::copy_backward(bucket.begin(), bucket.begin() + static_cast<std::ptrdiff_t>(way),
                           bucket.begin() + static_cast<std::ptrdiff_t>(way) + 1);
        bucket.front() = entry;
        return {entry.size, entry.stack};
    }
    return {};
}

void RepeatedLists::add(std::string_view bytes, std::uint32_t stack)
{
    if (bytes.size() < kKey || m_bytes.size() + bytes.size() > kMostBytes || !onlyGets(bytes))
        return;
    m_buckets.resize(kBuckets);
    Bucket& bucket = bucketOf(bytes);
    std::copy_backward(bucket.begin(), bucket.end() - 1, bucket.end());
    bucket.front() = {static_cast<std::uint32_t>(m_bytes.size()),
                      static_cast<std::uint32_t>(bytes.size()), stack};
    m_bytes += bytes;
}

void RepeatedLists::clear()
{
    m_buckets.clear();
    m_bytes.clear();
}

} // namespace plimsoll::readers::torch_snapshot

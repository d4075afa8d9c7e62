// SPDX-License-Identifier: Apache-2.0
#include "core/io/content_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace plimsoll::io {

namespace {

constexpr std::size_t kWord = 8;
constexpr std::uint64_t kOdd1 = 0x9e3779b97f4a7c15U;
constexpr std::uint64_t kOdd2 = 0xd6e8feb86659fd93U;

/// The first eight bytes as a little-endian number; zero-padded at the end.
std::uint64_t wordAt(std::string_view bytes)
{
    std::uint64_t word = 0;
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(&word, bytes.data(), std::min(kWord, bytes.size()));
    } else {
        for (std::size_t i = 0; i < bytes.size() && i < kWord; ++i)
            word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8U * i);
    }
    return word;
}

std::uint64_t mixed(std::uint64_t word)
{
    word ^= word >> 32U;
    word *= kOdd2;
    word ^= word >> 29U;
    word *= kOdd2;
    return word ^ (word >> 32U);
}

} // namespace

std::string contentHash(std::string_view bytes)
{
    std::uint64_t hash = mixed(bytes.size() + kOdd1);
    while (!bytes.empty()) {
        hash = std::rotl(hash ^ (wordAt(bytes) * kOdd1), 27) * kOdd2 + kOdd1;
        bytes.remove_prefix(std::min(kWord, bytes.size()));
    }
    return fmt::format("{:016x}", mixed(hash));
}

void PartsHash::addBlocks(std::string_view blocks)
{
    std::array<std::uint64_t, kLanes> lanes = m_lanes; // in registers
    for (std::size_t begin = 0; begin < blocks.size(); begin += kBlock)
        for (std::size_t lane = 0; lane < kLanes; ++lane) { // each waits for itself only
            const std::uint64_t word = wordAt({blocks.data() + begin + lane * kWord, kWord});
            lanes[lane] = std::rotl(lanes[lane] ^ (word * kOdd1), 27) * kOdd2 + kOdd1;
        }
    m_lanes = lanes;
}

void PartsHash::add(std::string_view part)
{
    m_size += part.size();
    if (!m_rest.empty()) {
        const std::string_view lacking = part.substr(0, kBlock - m_rest.size());
        m_rest.append(lacking);
        part.remove_prefix(lacking.size());
        if (m_rest.size() < kBlock)
            return;
        addBlocks(m_rest);
        m_rest.clear();
    }
    const std::size_t whole = part.size() - part.size() % kBlock;
    addBlocks(part.substr(0, whole));
    m_rest = part.substr(whole);
}

std::string PartsHash::text() const
{
    PartsHash padded = *this;
    if (!m_rest.empty())
        padded.addBlocks(m_rest + std::string(kBlock - m_rest.size(), '\0'));
    std::uint64_t hash = m_size;
    for (const std::uint64_t lane : padded.m_lanes)
        hash = mixed(hash + kOdd1) ^ lane;
    return fmt::format("{:016x}", mixed(hash));
}

} // namespace plimsoll::io

// SPDX-License-Identifier: Apache-2.0
#include "core/readers/torch_snapshot/recording.h"

#include "core/base/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace plimsoll::readers::torch_snapshot {

namespace {

constexpr std::size_t kTextBytes = 96; ///< of a text in the builder, beside itself
constexpr std::size_t kMapNodeBytes = 96;
constexpr std::size_t kMostPairs = 100'000;

bool isAscii(std::string_view text)
{
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

} // namespace

memtrace::DeviceBuilder& Recording::device(int ordinal)
{
    if (m_device == nullptr || m_ordinal != ordinal) {
        m_device = &m_builder.device(ordinal);
        m_ordinal = ordinal;
    }
    return *m_device;
}

std::string Recording::validText(std::uint32_t id) const
{
    std::string_view rest = m_texts[id];
    std::string result;
    result.reserve(rest.size());
    while (!rest.empty()) {
        const std::size_t length = base::firstCharacter(rest).length;
        if (length == 0)
            result += "\xef\xbf\xbd"; // U+FFFD
        else
            result += rest.substr(0, length);
        rest.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result;
}

memtrace::TextId Recording::textId(std::uint32_t text)
{
    if (text >= m_textIds.size())
        m_textIds.resize(std::max<std::size_t>(m_texts.count(), text + std::size_t{1}));
    memtrace::TextId& id = m_textIds[text];
    if (id.index() == 0) {
        const std::string_view bytes = m_texts[text];
        id = isAscii(bytes) ? m_builder.stacks().text(bytes)
                            : m_builder.stacks().text(validText(text));
        m_bytes += bytes.size() + kTextBytes;
    }
    return id;
}

bool Recording::readSize(const PickleValue& value, std::int64_t& bytes)
{
    if (value.is(PickleKind::Unsigned) || value.is(PickleKind::Huge))
        return fail("has a size of 2^63 bytes or more, which is impossible");
    if (const std::optional<std::int64_t> number = readInteger(value))
        bytes = *number;
    return true;
}

bool Recording::readAddress(const PickleValue& value, std::optional<std::uint64_t>& address)
{
    if (value.is(PickleKind::Huge))
        return fail("has an address of more than 64 bits, which is impossible");
    if (value.is(PickleKind::Int) || value.is(PickleKind::Unsigned))
        address = value.data;
    else
        count("values_of_other_types");
    return true;
}

std::optional<std::int64_t> Recording::readInteger(const PickleValue& value)
{
    if (value.is(PickleKind::Int) || value.is(PickleKind::Bool))
        return value.integer();
    if (!value.is(PickleKind::None))
        count("values_of_other_types");
    return std::nullopt;
}

std::optional<std::int64_t> Recording::readTime(const PickleValue& value)
{
    constexpr std::int64_t kNsPerUs = 1000;
    constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max() / 4 / kNsPerUs;
    const std::optional<std::int64_t> us = readInteger(value);
    if (!us)
        return std::nullopt;
    if (*us < 0 || *us > kLatest) {
        count("values_out_of_range");
        return std::nullopt;
    }
    return *us * kNsPerUs;
}

std::uint64_t Recording::readStream(const PickleValue& value)
{
    if (value.is(PickleKind::Int) || value.is(PickleKind::Unsigned))
        return value.data;
    count("values_of_other_types");
    return 0;
}

std::optional<std::array<std::uint64_t, 2>> Recording::readPool(const PickleValue& value)
{
    if (value.is(PickleKind::Pair))
        return m_pairs[value.data];
    if (!value.is(PickleKind::None))
        count("values_of_other_types");
    return std::nullopt;
}

memtrace::StackId Recording::readStack(const PickleValue& value)
{
    if (value.is(PickleKind::Stack))
        return memtrace::StackId{value.data};
    if (!value.is(PickleKind::None))
        count("values_of_other_types");
    return {};
}

std::string Recording::shown(const PickleValue& value) const
{
    switch (value.kind) {
    case PickleKind::None: return "None";
    case PickleKind::Bool: return value.data != 0 ? "True" : "False";
    case PickleKind::Int: return fmt::format("{}", value.integer());
    case PickleKind::Unsigned: return fmt::format("{}", value.data);
    case PickleKind::Float: return fmt::format("{}", std::bit_cast<double>(value.data));
    case PickleKind::Text: return validText(static_cast<std::uint32_t>(value.data));
    default: return {};
    }
}

PickleValue Recording::pairOf(Items items)
{
    const auto isNumber = [](const PickleValue& item) {
        return item.is(PickleKind::Int) || item.is(PickleKind::Unsigned);
    };
    if (items.size() != 2 || !isNumber(items[0]) || !isNumber(items[1]))
        return {};
    const std::array<std::uint64_t, 2> pair{items[0].data, items[1].data};
    PickleValue value;
    value.kind = PickleKind::Pair;
    value.data = m_pairs.size() - 1;
    if (!m_pairs.empty() && m_pairs.back() == pair)
        return value;
    const auto known = m_pairIds.find(pair);
    if (known == m_pairIds.end() && m_pairs.size() >= kMostPairs)
        return {};
    value.data = known != m_pairIds.end() ? known->second : m_pairs.size();
    if (known == m_pairIds.end()) {
        m_pairIds.emplace(pair, static_cast<std::uint32_t>(m_pairs.size()));
        m_pairs.push_back(pair);
    }
    return value;
}

std::size_t Recording::memoryBytes() const
{
    return m_bytes + m_textIds.capacity() * sizeof(memtrace::TextId)
           + m_pairs.size() * kMapNodeBytes;
}

bool Recording::fail(std::string fault)
{
    m_fault = std::move(fault);
    return false;
}

bool Recording::failWith(const base::Error& error, std::string_view what)
{
    return fail(fmt::format("has {} that can't be: {}", what, error.message));
}

} // namespace plimsoll::readers::torch_snapshot

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/builder.h"
#include "core/readers/torch_snapshot/keys.h"
#include "core/readers/torch_snapshot/pickle_texts.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::readers::torch_snapshot {

/// Keys and values in turn.
using Items = std::span<const PickleValue>;

/// What all parts of a snapshot need: the builder that they go to, and what plain values stand for.
/// A value of another type than expected is counted and stands for nothing; functions that return
/// false have set a fault.
class Recording
{
public:
    Recording(memtrace::Builder& builder, const PickleTexts& texts)
        : m_builder{builder}, m_texts{texts}
    {
    }

    [[nodiscard]] memtrace::Builder& builder() { return m_builder; }
    [[nodiscard]] memtrace::DeviceBuilder& device(int ordinal);
    [[nodiscard]] std::string_view text(std::uint32_t id) const { return m_texts[id]; }
    /// A text with what isn't UTF-8 (such as surrogates, which Python's texts may have) replaced.
    [[nodiscard]] std::string validText(std::uint32_t id) const;
    [[nodiscard]] memtrace::TextId textId(std::uint32_t text);

    [[nodiscard]] bool readSize(const PickleValue& value, std::int64_t& bytes);
    [[nodiscard]] bool readAddress(const PickleValue& value, std::optional<std::uint64_t>& address);
    [[nodiscard]] std::optional<std::int64_t> readInteger(const PickleValue& value);
    /// In nanoseconds, from microseconds.
    [[nodiscard]] std::optional<std::int64_t> readTime(const PickleValue& value);
    [[nodiscard]] std::uint64_t readStream(const PickleValue& value);
    [[nodiscard]] std::optional<std::array<std::uint64_t, 2>> readPool(const PickleValue& value);
    [[nodiscard]] memtrace::StackId readStack(const PickleValue& value);
    /// A plain value as a text; empty for what isn't one.
    [[nodiscard]] std::string shown(const PickleValue& value) const;

    /// A value of two integers; Other if the items are anything else.
    [[nodiscard]] PickleValue pairOf(Items items);

    void count(std::string_view fault, std::size_t occurrences = 1)
    {
        m_builder.count(fault, occurrences);
    }
    /// About how much memory the builder needs for what was added to it.
    void addBytes(std::size_t bytes) { m_bytes += bytes; }
    [[nodiscard]] std::size_t memoryBytes() const;

    /// Something was read that only snapshots have.
    void setIsSnapshot() { m_isSnapshot = true; }
    [[nodiscard]] bool isSnapshot() const { return m_isSnapshot; }

    /// Returns false.
    bool fail(std::string fault);
    /// `what`: "an event".
    bool failWith(const base::Error& error, std::string_view what);
    [[nodiscard]] const std::string& fault() const { return m_fault; }

private:
    memtrace::Builder& m_builder;
    const PickleTexts& m_texts;
    std::vector<memtrace::TextId> m_textIds; ///< by text; the empty one: not known yet
    std::vector<std::array<std::uint64_t, 2>> m_pairs;
    std::map<std::array<std::uint64_t, 2>, std::uint32_t> m_pairIds;
    memtrace::DeviceBuilder* m_device = nullptr; ///< of m_ordinal: the last that was asked for
    int m_ordinal = 0;
    std::size_t m_bytes = 0;
    bool m_isSnapshot = false;
    std::string m_fault;
};

} // namespace plimsoll::readers::torch_snapshot

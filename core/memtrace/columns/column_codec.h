// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/column.h"
#include "core/base/result.h"
#include "core/memtrace/ids.h"

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace plimsoll::memtrace {

/// Integers, enumerations, bools, ids and quantities are stored as 64 bits, little-endian.
template <typename Value>
concept Stored = std::is_integral_v<Value> || std::is_enum_v<Value>;

/// Writes values one after the other; each begins at a multiple of 8 bytes.
class ColumnWriter
{
public:
    template <Stored Value>
    void operator()(Value value)
    {
        const auto whole = static_cast<std::uint64_t>(value);
        raw({reinterpret_cast<const char*>(&whole), sizeof whole});
    }
    template <typename Tag>
    void operator()(base::Id<Tag> id)
    {
        (*this)(id.index());
    }
    template <typename Tag>
    void operator()(base::Quantity<Tag> quantity)
    {
        (*this)(quantity.count());
    }
    void operator()(const std::string& text)
    {
        (*this)(text.size());
        raw(text);
    }
    template <typename Value>
    void column(const base::Column<Value>& column)
    {
        span(column.values());
    }
    template <typename Value>
    void list(const std::vector<Value>& values)
    {
        span(std::span{values});
    }
    /// Padded with zeros.
    void raw(std::string_view bytes)
    {
        m_bytes.append(bytes);
        m_bytes.append((8 - m_bytes.size() % 8) % 8, '\0');
    }
    [[nodiscard]] std::string take() && { return std::move(m_bytes); }

private:
    template <typename Value>
    void span(std::span<const Value> values)
    {
        static_assert(std::is_trivially_copyable_v<Value>);
        (*this)(values.size());
        raw({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    }

    std::string m_bytes;
};

/// Reads them back. After the first value that isn't there all are 0 or empty, and hasFailed().
class ColumnReader
{
public:
    explicit ColumnReader(std::shared_ptr<const std::string> bytes) : m_bytes{std::move(bytes)} {}

    template <Stored Value>
    void operator()(Value& value)
    {
        std::uint64_t whole = 0;
        if (const char* at = next(sizeof whole))
            std::memcpy(&whole, at, sizeof whole);
        value = static_cast<Value>(whole);
        if (static_cast<std::uint64_t>(value) != whole)
            fail("a number is too large");
    }
    template <typename Tag>
    void operator()(base::Id<Tag>& id)
    {
        std::uint32_t index = 0;
        (*this)(index);
        id = base::Id<Tag>{index};
    }
    template <typename Tag>
    void operator()(base::Quantity<Tag>& quantity)
    {
        std::int64_t count = 0;
        (*this)(count);
        quantity = base::Quantity<Tag>{count};
    }
    void operator()(std::string& text)
    {
        const std::size_t size = count();
        if (const char* at = next(size))
            text.assign(at, size);
    }
    /// Its values stay where they are.
    template <typename Value>
    void column(base::Column<Value>& column)
    {
        column = base::Column<Value>{span<Value>(), m_bytes};
    }
    template <typename Value>
    void list(std::vector<Value>& values)
    {
        const std::span<const Value> read = span<Value>();
        values.assign(read.begin(), read.end());
    }
    /// The number of elements that follow, each of which takes a byte at least.
    [[nodiscard]] std::size_t count()
    {
        std::uint64_t count = 0;
        (*this)(count);
        if (count > m_bytes->size() - m_at)
            fail("it ends early");
        return m_fault.empty() ? static_cast<std::size_t>(count) : 0;
    }
    [[nodiscard]] bool skip(std::string_view expected)
    {
        const char* at = next(expected.size());
        return at != nullptr && std::string_view{at, expected.size()} == expected;
    }

    [[nodiscard]] bool hasFailed() const { return !m_fault.empty(); }
    [[nodiscard]] bool isAtEnd() const { return m_at == m_bytes->size(); }
    /// The first fault, or this one if there was none.
    [[nodiscard]] tl::unexpected<base::Error>
    failure(std::string_view otherwise = "its end is wrong") const
    {
        return base::failure(base::ErrorKind::File,
                             "byte " + std::to_string(m_at) + ": "
                                 + (m_fault.empty() ? std::string{otherwise} : m_fault));
    }

private:
    void fail(const char* fault)
    {
        if (m_fault.empty())
            m_fault = fault;
    }
    /// Null: there are not as many bytes.
    [[nodiscard]] const char* next(std::size_t size)
    {
        const std::size_t padded = size + (8 - size % 8) % 8;
        if (hasFailed() || padded < size || padded > m_bytes->size() - m_at) {
            fail("it ends early");
            return nullptr;
        }
        const char* at = m_bytes->data() + m_at;
        m_at += padded;
        return at;
    }
    template <typename Value>
    [[nodiscard]] std::span<const Value> span()
    {
        static_assert(std::is_trivially_copyable_v<Value> && alignof(Value) <= 8);
        const std::size_t size = count();
        if (size > m_bytes->size() / sizeof(Value)) {
            fail("it ends early");
            return {};
        }
        const char* at = next(size * sizeof(Value));
        return at == nullptr ? std::span<const Value>{}
                             : std::span{reinterpret_cast<const Value*>(at), size};
    }

    std::shared_ptr<const std::string> m_bytes;
    std::size_t m_at = 0;
    std::string m_fault;
};

} // namespace plimsoll::memtrace

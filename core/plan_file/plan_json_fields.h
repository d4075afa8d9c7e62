// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/limits.h"
#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::plan::detail {

inline constexpr std::int64_t kMostOrdinal = std::numeric_limits<std::int32_t>::max();

/// A value as shown in a sentence; shortened if it is long.
[[nodiscard]] std::string shown(const nlohmann::json& value);

/// The error of a file with wrong content, with what to do: "regions is missing." becomes "regions
/// is missing: export the plan again."
[[nodiscard]] base::Error advised(base::Error error, const char* advice);

using Texts = std::vector<std::pair<std::string, std::string>>;

/// A value of a file, and its place there. `state` keeps the first fault of the file, after which
/// everything reads as empty. Functions with a key are about a member of an object; those that
/// return nothing have counterparts in FieldWriter, so that a table of fields can be a template
/// over both.
class Field
{
public:
    Field(const nlohmann::json& value, std::string where, base::Result<void>& state)
        : m_value{value}, m_where{std::move(where)}, m_state{state}
    {
    }

    void text(const char* key, std::string& value) const { value = at(key).text(); }
    void list(const char* key, std::vector<std::string>& values) const;
    void texts(const char* key, Texts& values) const;
    void flag(const char* key, bool& value) const;
    /// An index, Bytes or Nanoseconds.
    template <typename Number>
    void whole(const char* key, Number& value, std::int64_t most = base::kHuge) const
    {
        value = static_cast<Number>(at(key).integer(most));
    }
    template <typename Table>
    void object(const char* key, const Table& table) const
    {
        const Field inner = at(key);
        table(inner);
    }
    void fail(const char* key, const std::string& what) const;
    [[nodiscard]] bool has(const char* key, bool isWritten = true) const;

    /// What is wrong with the value: "<where> <what>."
    void fail(const std::string& what) const;
    [[nodiscard]] bool isGood() const { return m_state.has_value(); }
    [[nodiscard]] const nlohmann::json& value() const { return m_value; }
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::int64_t integer(std::int64_t most = base::kHuge) const;
    /// A member, which must be present.
    [[nodiscard]] Field at(const char* key) const;
    /// A member, which must be an array.
    [[nodiscard]] Field array(const char* key) const;
    /// The elements of an array; of other values, and after a fault, none.
    [[nodiscard]] std::size_t size() const
    {
        return isGood() && m_value.is_array() ? m_value.size() : 0;
    }
    [[nodiscard]] Field operator[](std::size_t index) const;

private:
    [[nodiscard]] std::string path(const char* key) const;

    const nlohmann::json& m_value;
    std::string m_where;
    base::Result<void>& m_state;
};

/// Writes members of one object, in the order of the calls.
class FieldWriter
{
public:
    void text(const char* key, const std::string& value) { json[key] = value; }
    void list(const char* key, const std::vector<std::string>& values) { json[key] = values; }
    /// Sorted by name, so that reading and writing a plan gives the same bytes.
    void texts(const char* key, const Texts& values);
    void flag(const char* key, bool value) { json[key] = value; }
    template <typename Number>
    void whole(const char* key, const Number& value, std::int64_t /*most*/ = base::kHuge)
    {
        if constexpr (requires { value.count(); })
            json[key] = value.count();
        else
            json[key] = value;
    }
    template <typename Table>
    void object(const char* key, const Table& table)
    {
        FieldWriter inner;
        table(inner);
        json[key] = std::move(inner.json);
    }
    void fail(const char* /*key*/, const std::string& /*what*/) {}
    [[nodiscard]] static bool has(const char* /*key*/, bool isWritten = true) { return isWritten; }

    nlohmann::ordered_json json = nlohmann::ordered_json::object();
};

} // namespace plimsoll::plan::detail

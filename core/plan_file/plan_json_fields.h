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

/// What a value is, for a sentence; cut where it is long.
[[nodiscard]] std::string shown(const nlohmann::json& value);

/// Sets `state` to "<where> <what>." unless something was wrong before.
void fail(base::Result<void>& state, const std::string& where, const std::string& what);

/// The error of a file whose content is wrong, with what to do: "regions is missing." becomes
/// "regions is missing: export the plan anew."
[[nodiscard]] base::Error advised(base::Error error, const char* advice);

/// An element that must be an integer from 0 to `most`; 0 where something is wrong.
[[nodiscard]] std::int64_t integer(const nlohmann::json& value, const std::string& where,
                                   base::Result<void>& state, std::int64_t most = base::kHuge);

using Texts = std::vector<std::pair<std::string, std::string>>;

/// Reads members of one object; remembers the first thing that is wrong, after which everything
/// reads as empty. Functions that return nothing have their counterparts in FieldWriter: a table of
/// fields is a template over both.
class Fields
{
public:
    Fields(const nlohmann::json& object, std::string where, base::Result<void>& state);

    void text(const char* key, std::string& value) { value = text(key); }
    void list(const char* key, std::vector<std::string>& values);
    void texts(const char* key, Texts& values);
    void flag(const char* key, bool& value);
    /// An index, Bytes or Nanoseconds.
    template <typename Number>
    void whole(const char* key, Number& value, std::int64_t most = base::kHuge)
    {
        value = static_cast<Number>(integer(key, most));
    }
    template <typename Table>
    void object(const char* key, const Table& table)
    {
        Fields inner{at(key), path(key), m_state};
        table(inner);
    }
    void fail(const char* key, const std::string& what);
    [[nodiscard]] bool has(const char* key, bool isWritten = true) const;

    [[nodiscard]] std::string text(const char* key);
    [[nodiscard]] std::int64_t integer(const char* key, std::int64_t most = base::kHuge);
    [[nodiscard]] const nlohmann::json& array(const char* key);
    [[nodiscard]] const nlohmann::json& at(const char* key);
    [[nodiscard]] std::string path(const char* key) const;

private:
    const nlohmann::json& m_object;
    std::string m_where;
    base::Result<void>& m_state;
};

/// Writes members of one object, in the order of the calls.
class FieldWriter
{
public:
    void text(const char* key, const std::string& value) { json[key] = value; }
    void list(const char* key, const std::vector<std::string>& values) { json[key] = values; }
    /// Sorted by name: a plan that is read and written again gives the same bytes.
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

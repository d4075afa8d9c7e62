// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/limits.h"
#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <string>

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

/// Reads members of one object; remembers the first thing that is wrong, after which everything
/// reads as empty.
class Fields
{
public:
    Fields(const nlohmann::json& object, std::string where, base::Result<void>& state);

    [[nodiscard]] std::string text(const char* key);
    [[nodiscard]] std::int64_t integer(const char* key, std::int64_t most = base::kHuge);
    [[nodiscard]] const nlohmann::json& array(const char* key);
    [[nodiscard]] const nlohmann::json& at(const char* key);
    [[nodiscard]] bool has(const char* key) const;
    [[nodiscard]] std::string path(const char* key) const;
    void fail(const char* key, const std::string& what);

private:
    const nlohmann::json& m_object;
    std::string m_where;
    base::Result<void>& m_state;
};

} // namespace plimsoll::plan::detail

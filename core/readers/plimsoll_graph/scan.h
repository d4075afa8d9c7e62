// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/json_check.h"
#include "core/base/limits.h"
#include "core/base/result.h"
#include "core/readers/file_value.h"

#include <simdjson.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::readers::plimsoll_graph {

using JsonValue = simdjson::ondemand::value;

/// Inclusive.
struct Range
{
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
};

/// Indices and points in the op sequence have 32 bits; the largest number means "never".
inline constexpr std::int64_t kMostRows = std::numeric_limits<std::int32_t>::max() - 1;
inline constexpr Range kIndex{0, kMostRows};
inline constexpr Range kIndexOrNone{-1, kMostRows};
inline constexpr Range kCount{0, base::kHuge - 1};

/// One pass over the text: the current place (for messages), the first error, tolerated oddities.
/// Errors stick: after the first one, everything returns false.
class Scan
{
public:
    Scan(const Text& source, const base::JobContext& context) : m_source{source}, m_context{context}
    {
    }

    [[nodiscard]] bool ok() const { return !m_error; }
    [[nodiscard]] const base::Error& error() const { return *m_error; }
    [[nodiscard]] const Text& source() const { return m_source; }
    /// The document in which refuseJson() finds the place.
    void attach(simdjson::ondemand::document& document) { m_document = &document; }

    /// Sets the place for later messages: a key or table, and its row and column, if any.
    void enter(std::string_view key) { m_key = key, m_row.reset(), m_column = {}; }
    void enterRow(std::size_t row) { m_row = row, m_column = {}; }
    void enterColumn(std::string_view column) { m_column = column; }

    /// Well-formed JSON that isn't allowed here.
    bool refuse(JsonValue& value, std::string_view expected);
    /// Not JSON, or the end of the file.
    bool refuseJson(simdjson::error_code code);
    /// The same, with the end of the file as the place.
    bool refuseEnd();
    /// Brackets that nest deeper than base::kDeepestJson.
    bool refuseDepth(std::uint64_t offset);
    bool refuseAt(std::uint64_t offset, std::string_view problem,
                  std::string_view advice = "trace the model again");
    /// False, with the error Cancelled, once the job was stopped. Also reports progress.
    bool goOn(std::uint64_t offset);

    [[nodiscard]] std::uint64_t offsetOf(JsonValue& value) const;
    void tolerate(const char* oddity) { ++m_oddities[oddity]; }
    [[nodiscard]] const std::map<std::string, std::size_t>& oddities() const { return m_oddities; }

    bool integer(JsonValue& value, Range range, std::int64_t& out);
    /// Leaves `out` empty at null.
    bool integerOrNull(JsonValue& value, Range range, std::optional<std::int64_t>& out);
    bool text(JsonValue& value, std::string& out);
    bool textOrNull(JsonValue& value, std::string& out);
    bool texts(JsonValue& value, std::vector<std::string>& out);
    bool integers(JsonValue& value, Range range, std::vector<std::int64_t>& out);
    /// Checks that it is JSON and how deep it nests.
    bool skip(JsonValue& value);
    /// The same; `out` is its text in the source.
    bool json(JsonValue& value, std::string_view& out);

    /// Calls `visit(JsonValue&) -> bool` for each element.
    template <typename Visit>
    bool eachElement(JsonValue& value, Visit visit)
    {
        simdjson::ondemand::array array;
        if (value.get_array().get(array) != simdjson::SUCCESS)
            return refuse(value, "an array");
        for (auto element : array) {
            JsonValue item;
            if (const auto code = element.get(item); code != simdjson::SUCCESS)
                return refuseJson(code);
            if (!visit(item))
                return false;
        }
        return ok();
    }

    /// Calls `visit(std::string_view key, JsonValue&) -> bool` for each field. A repeated key is an
    /// error: readers would disagree about which one counts.
    template <typename Visit>
    bool eachField(JsonValue& value, Visit visit)
    {
        simdjson::ondemand::object object;
        if (value.get_object().get(object) != simdjson::SUCCESS)
            return refuse(value, "an object");
        return eachFieldOf(object, visit);
    }
    template <typename Visit>
    bool eachFieldOf(simdjson::ondemand::object& object, Visit visit)
    {
        base::JsonKeys keys;
        for (auto element : object) {
            simdjson::ondemand::field field;
            if (const auto code = std::move(element).get(field); code != simdjson::SUCCESS)
                return refuseJson(code);
            const char* const begin = field.key().raw() - 1; // of the quote
            std::string_view key;
            if (const auto code = field.unescaped_key().get(key); code != simdjson::SUCCESS)
                return refuseJson(code);
            if (!keys.add(key))
                return refuseAt(static_cast<std::uint64_t>(begin - m_source.bytes.data()),
                                base::repeatedKeyText(key));
            JsonValue item = field.value();
            if (!visit(key, item))
                return false;
        }
        return ok();
    }

private:
    [[nodiscard]] std::string place() const;
    bool refuseToken(std::uint64_t offset);
    bool fail(base::ErrorKind kind, std::string message);

    const Text& m_source;
    const base::JobContext& m_context;
    simdjson::ondemand::document* m_document = nullptr;
    std::optional<base::Error> m_error;
    std::string_view m_key;
    std::optional<std::size_t> m_row;
    std::string_view m_column;
    std::map<std::string, std::size_t> m_oddities;
};

/// " of the decompressed text" if offsets don't count the file's own bytes.
[[nodiscard]] const char* offsetSuffix(const Text& source);

} // namespace plimsoll::readers::plimsoll_graph

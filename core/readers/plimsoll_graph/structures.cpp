// SPDX-License-Identifier: Apache-2.0
#include "core/readers/plimsoll_graph/structures.h"

#include "core/readers/plimsoll_graph/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::readers::plimsoll_graph {

namespace {

constexpr auto kColumns = std::to_array<std::string_view>({"args", "kwargs", "modes"});

std::string asText(std::string_view text)
{
    constexpr char kFirstPrintable = 0x20;
    std::string out = "\"";
    for (const char byte : text) {
        if (byte == '"' || byte == '\\')
            out += '\\';
        if (byte >= 0 && byte < kFirstPrintable)
            out += fmt::format("\\u{:04x}", static_cast<int>(byte));
        else
            out += byte;
    }
    return out + '"';
}

/// Writes one value in canonical form and records its tensors.
class Canonical
{
public:
    Canonical(Scan& scan, std::vector<graph::Slot>& slots) : m_scan{scan}, m_slots{slots} {}

    bool write(JsonValue& value, std::string& out)
    {
        simdjson::ondemand::json_type type{};
        if (const auto code = value.type().get(type); code != simdjson::SUCCESS)
            return m_scan.refuseJson(code);
        switch (type) {
        case simdjson::ondemand::json_type::array: return writeArray(value, out);
        case simdjson::ondemand::json_type::object: return writeObject(value, out);
        case simdjson::ondemand::json_type::string: return writeText(value, out);
        default: return writeScalar(value, out);
        }
    }

private:
    bool writeText(JsonValue& value, std::string& out)
    {
        std::string text;
        if (!m_scan.text(value, text))
            return false;
        out += asText(text);
        return true;
    }

    bool writeScalar(JsonValue& value, std::string& out)
    {
        std::string_view token = value.raw_json_token();
        token = token.substr(0, token.find_first_of(" \t\r\n"));
        bool isNull = false;
        bool truth = false;
        simdjson::ondemand::number number;
        if ((value.is_null().get(isNull) != simdjson::SUCCESS || !isNull)
            && value.get_bool().get(truth) != simdjson::SUCCESS
            && value.get_number().get(number) != simdjson::SUCCESS)
            return m_scan.refuse(value, "a value");
        out += token;
        return true;
    }

    bool writeArray(JsonValue& value, std::string& out)
    {
        if (++m_depth > base::kDeepestJson)
            return m_scan.refuseDepth(m_scan.offsetOf(value));
        out += '[';
        bool first = true;
        const bool read = m_scan.eachElement(value, [&](JsonValue& item) {
            if (!std::exchange(first, false))
                out += ',';
            return write(item, out);
        });
        out += ']';
        --m_depth;
        return read;
    }

    bool writeObject(JsonValue& value, std::string& out)
    {
        if (++m_depth > base::kDeepestJson)
            return m_scan.refuseDepth(m_scan.offsetOf(value));
        const std::uint64_t offset = m_scan.offsetOf(value);
        std::vector<std::pair<std::string, std::string>> fields;
        std::optional<std::int64_t> tensor;
        std::int64_t alias = 0;
        bool hasHooks = false;
        const bool read = m_scan.eachField(value, [&](std::string_view key, JsonValue& item) {
            const std::string name{key};
            std::string text;
            bool written = false;
            if (name == "t" || name == "alias") {
                std::int64_t& number = name == "t" ? tensor.emplace() : alias;
                written = m_scan.integer(item, kIndex, number);
                text = fmt::format("{}", number);
            } else {
                hasHooks = hasHooks || name == "hooks";
                written = write(item, text);
            }
            fields.emplace_back(asText(name), std::move(text));
            return written;
        });
        if (!read)
            return false;
        --m_depth;
        std::sort(fields.begin(), fields.end());
        out += '{';
        for (std::size_t i = 0; i < fields.size(); ++i)
            out += fmt::format("{}{}:{}", i == 0 ? "" : ",", fields[i].first, fields[i].second);
        out += '}';
        return !tensor || note({static_cast<std::size_t>(*tensor), alias != 0 || hasHooks}, offset);
    }

    bool note(graph::Slot slot, std::uint64_t offset)
    {
        if (!m_slots.empty() && slot.tensor <= m_slots.back().tensor)
            return m_scan.refuseAt(offset, fmt::format("tensor {} comes after tensor {}",
                                                       slot.tensor, m_slots.back().tensor));
        m_slots.push_back(slot);
        return true;
    }

    Scan& m_scan;
    std::vector<graph::Slot>& m_slots;
    std::size_t m_depth = 0;
};

/// [name, value]
bool readKeyword(Scan& scan, JsonValue& value, Canonical& canonical, graph::Argument& argument)
{
    const std::uint64_t offset = scan.offsetOf(value);
    std::size_t at = 0;
    const bool read = scan.eachElement(value, [&](JsonValue& item) {
        ++at;
        if (at == 1)
            return scan.text(item, argument.name);
        return at == 2 ? canonical.write(item, argument.value)
                       : scan.refuse(item, "a name and a value");
    });
    return read && (at == 2 || scan.refuseAt(offset, "expected a name and a value"));
}

bool readStructure(Scan& scan, Row& row, graph::Structure& structure)
{
    Canonical canonical{scan, structure.slots};
    const auto argument = [&](JsonValue& item) {
        return canonical.write(item, structure.arguments.emplace_back().value);
    };
    const auto keyword = [&](JsonValue& item) {
        return readKeyword(scan, item, canonical, structure.arguments.emplace_back());
    };
    return row.read([&](JsonValue& value) { return scan.eachElement(value, argument); })
           && row.read([&](JsonValue& value) { return scan.eachElement(value, keyword); })
           && row.texts(structure.modes);
}

} // namespace

bool readStructures(Scan& scan, JsonValue& value, Draft& draft)
{
    return readTable(scan, value, kColumns, draft.offsetsOf(Table::Structures), [&](Row& row) {
        return readStructure(scan, row, draft.program.structures.emplace_back());
    });
}

} // namespace plimsoll::readers::plimsoll_graph

// SPDX-License-Identifier: Apache-2.0
#include "core/solve/pack/pack_csv.h"

#include "core/base/format.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/base/try.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <unordered_map>

namespace plimsoll::solve {

namespace {

using base::ErrorKind;
using base::failure;
using base::Result;

constexpr std::size_t kLongestLine = 1U << 20U;
constexpr std::size_t kShown = 40; ///< bytes of a field quoted in a message

enum Column : std::size_t { Id, Lower, Upper, Size };
constexpr std::array<std::string_view, 4> kNames = {"id", "lower", "upper", "size"};

/// Splits a line into fields. Commas inside double quotes don't separate; the quotes are kept.
void split(std::string_view line, std::vector<std::string_view>& fields)
{
    fields.clear();
    std::size_t begin = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"')
            quoted = !quoted;
        if (line[i] != ',' || quoted)
            continue;
        fields.push_back(line.substr(begin, i - begin));
        begin = i + 1;
    }
    fields.push_back(line.substr(begin));
}

std::string_view unquoted(std::string_view field)
{
    field = base::trimmed(field);
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
        field = field.substr(1, field.size() - 2);
    return field;
}

std::optional<std::size_t> find(const std::vector<std::string_view>& fields, std::string_view name)
{
    const auto found = std::find_if(fields.begin(), fields.end(), [&](std::string_view field) {
        return unquoted(field) == name;
    });
    if (found == fields.end())
        return std::nullopt;
    return static_cast<std::size_t>(found - fields.begin());
}

class Reader
{
public:
    explicit Reader(PackCsv& csv) : m_csv{csv} {}

    Result<void> read()
    {
        if (m_csv.text.starts_with("\xEF\xBB\xBF"))
            m_at = 3;
        while (m_at < m_csv.text.size()) {
            Result<void> done = readLine();
            if (!done)
                return failure(ErrorKind::File,
                               fmt::format("line {}: {}", m_line, done.error().message));
        }
        if (m_columns == 0)
            return failure(ErrorKind::File, "line 1: there must be the column names id, lower, "
                                            "upper and size.");
        return {};
    }

private:
    Result<void> readLine()
    {
        ++m_line;
        const std::size_t begin = m_at;
        const std::size_t end = std::min(m_csv.text.find('\n', begin), m_csv.text.size());
        m_at = end + 1;
        std::string_view line = std::string_view{m_csv.text}.substr(begin, end - begin);
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (line.size() > kLongestLine)
            return failure(ErrorKind::File, "it is longer than 1 MiB, which no row is.");
        if (line.find('\0') != std::string_view::npos)
            return failure(ErrorKind::File, "there is a NUL byte: the file is damaged or not CSV.");
        if (std::count(line.begin(), line.end(), '"') % 2 != 0)
            return failure(ErrorKind::File, "a quote is left open: no field takes several lines.");
        split(line, m_fields);
        if (m_columns == 0) {
            m_csv.header = {begin, line.size()};
            return readHeader();
        }
        if (line.empty()) // only line breaks may follow
            return m_csv.text.find_first_not_of("\r\n", begin) == std::string::npos
                       ? Result<void>{}
                       : failure(ErrorKind::File, "it is empty, but more rows follow.");
        m_csv.lines.emplace_back(begin, line.size());
        return readRow();
    }

    Result<void> readHeader()
    {
        for (std::size_t column = 0; column < kNames.size(); ++column) {
            const std::optional<std::size_t> found = find(m_fields, kNames[column]);
            if (!found)
                return failure(ErrorKind::File,
                               fmt::format("the column \"{}\" is missing; there must be id, lower, "
                                           "upper and size.",
                                           kNames[column]));
            m_place[column] = *found;
        }
        for (const std::string_view name : kNames)
            if (std::count_if(m_fields.begin(), m_fields.end(),
                              [&](std::string_view field) { return unquoted(field) == name; })
                > 1)
                return failure(ErrorKind::File,
                               fmt::format("the column \"{}\" appears twice.", name));
        m_columns = m_fields.size();
        return {};
    }

    Result<std::int64_t> number(Column column) const
    {
        const std::string_view text = unquoted(m_fields[m_place[column]]);
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool isWhole = end == text.data() + text.size() && !text.empty();
        if (isWhole && error == std::errc{} && value >= 0 && value < base::kHuge)
            return value;
        const bool isHuge = isWhole && text.front() != '-';
        return failure(
            ErrorKind::File,
            fmt::format("{} is \"{}\", but must be a whole number that is not negative{}.",
                        kNames[column], base::printable(text, kShown),
                        isHuge ? " and below 2^62" : ""));
    }

    Result<void> readRow()
    {
        if (m_fields.size() != m_columns)
            return failure(ErrorKind::File,
                           fmt::format("it has {}, but there are {} columns.",
                                       base::counted(m_fields.size(), "field"), m_columns));
        const std::string_view id = unquoted(m_fields[m_place[Id]]);
        if (id.empty())
            return failure(ErrorKind::File, "the id is empty.");
        if (const auto [first, added] = m_lineOf.try_emplace(id, m_line); !added)
            return failure(ErrorKind::File,
                           fmt::format("the id \"{}\" is already that of line {}.",
                                       base::printable(id, kShown), first->second));
        PackBuffer buffer;
        for (const auto& [column, into] :
             {std::pair{Lower, &buffer.lower}, std::pair{Upper, &buffer.upper},
              std::pair{Size, &buffer.size}}) {
            ASSIGN_OR_RETURN(*into, number(column));
        }
        if (buffer.lower >= buffer.upper)
            return failure(ErrorKind::File,
                           fmt::format("upper is {}, but must be more than lower, {}.",
                                       buffer.upper, buffer.lower));
        if (buffer.size >= base::kHuge - m_sum)
            return failure(ErrorKind::File, "the sizes up to here add up to 2^62 or more.");
        m_sum += buffer.size;
        m_csv.buffers.push_back(buffer);
        return {};
    }

    PackCsv& m_csv;
    std::size_t m_at = 0;
    std::size_t m_line = 0;
    std::size_t m_columns = 0; ///< 0: their names are still to be read
    std::array<std::size_t, kNames.size()> m_place{};
    std::vector<std::string_view> m_fields;
    std::unordered_map<std::string_view, std::size_t> m_lineOf; ///< by id
    std::int64_t m_sum = 0;
};

} // namespace

bool looksLikePackCsv(std::string_view head)
{
    std::vector<std::string_view> columns;
    split(head.substr(0, head.find_first_of("\r\n")), columns);
    return std::ranges::all_of(
        kNames, [&](std::string_view name) { return find(columns, name).has_value(); });
}

Result<PackCsv> readPackCsv(std::string text)
{
    PackCsv csv;
    csv.text = std::move(text);
    RETURN_IF_ERROR(Reader{csv}.read());
    return csv;
}

std::string withOffsets(const PackCsv& csv, const PackOffsets& offsets)
{
    const std::string_view text = csv.text;
    std::vector<std::string_view> fields;
    split(text.substr(csv.header.first, csv.header.second), fields);
    const std::optional<std::size_t> column = find(fields, "offset");
    std::string result{text.substr(csv.header.first, csv.header.second)};
    result += column ? "\n" : ",offset\n";
    for (std::size_t i = 0; i < csv.lines.size(); ++i) {
        const std::string_view line = text.substr(csv.lines[i].first, csv.lines[i].second);
        if (!column) {
            result += fmt::format("{},{}\n", line, offsets[i]);
            continue;
        }
        split(line, fields);
        for (std::size_t k = 0; k < fields.size(); ++k)
            result += fmt::format("{}{}", k == 0 ? "" : ",",
                                  k == *column ? fmt::format("{}", offsets[i]) : fields[k]);
        result += '\n';
    }
    return result;
}

} // namespace plimsoll::solve

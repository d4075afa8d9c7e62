// SPDX-License-Identifier: Apache-2.0
#include "core/readers/csv/rows.h"

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/base/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

namespace plimsoll::readers::csv {

namespace {

using base::Result;

constexpr std::array<const char*, kColumnCount> kColumnNames = {
    "device",  "address", "bytes", "block_bytes", "alloc_event", "free_event", "alloc_ns",
    "free_ns", "stream",  "pool",  "class",       "frame",       "stack_id"};
constexpr std::int64_t kMostDevices = 4096;
constexpr std::int64_t kLongest = std::int64_t{1} << 61U; ///< of times and event numbers
constexpr std::size_t kShownBytes = 40;

/// Spreadsheets take some texts for formulas: exports put an apostrophe before them.
std::string_view withoutGuard(std::string_view text)
{
    constexpr std::string_view kSigns = "=+-@";
    const bool isGuarded =
        text.size() > 1 && text.front() == '\'' && kSigns.find(text[1]) != std::string_view::npos;
    return isGuarded ? text.substr(1) : text;
}

/// Decimal, or hexadecimal behind 0x.
template <typename Number>
std::optional<Number> parsedNumber(std::string_view text)
{
    const bool isHex = text.starts_with("0x") || text.starts_with("0X");
    if (isHex)
        text.remove_prefix(2);
    Number number{};
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, isHex ? 16 : 10);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional{number}
                                                                    : std::nullopt;
}

/// Reads one row's fields. The first fault sticks.
class FieldReader
{
public:
    FieldReader(const Header& header, const std::vector<std::string>& fields)
        : m_header{header}, m_fields{fields}
    {
    }

    /// Empty if the table lacks the column.
    [[nodiscard]] std::string_view text(Column column) const
    {
        const auto field = m_header.fieldOf.at(static_cast<std::size_t>(column));
        return field && *field < m_fields.size() ? withoutGuard(base::trimmed(m_fields[*field]))
                                                 : std::string_view{};
    }
    /// Between two numbers, both included; nothing if it is empty.
    template <typename Number>
    std::optional<Number> number(Column column, Number lowest, Number highest)
    {
        const std::string_view field = text(column);
        if (field.empty())
            return std::nullopt;
        const std::optional<Number> number = parsedNumber<Number>(field);
        if (number && *number >= lowest && *number <= highest)
            return number;
        refuse(column,
               number ? fmt::format("from {} to {}", lowest, highest) : "a whole number, or empty");
        return std::nullopt;
    }
    void refuse(Column column, std::string_view expected)
    {
        if (m_fault.empty())
            m_fault = fmt::format("the column {} must be {}, not \"{}\"",
                                  kColumnNames.at(static_cast<std::size_t>(column)), expected,
                                  base::printable(text(column), kShownBytes));
    }
    [[nodiscard]] const std::string& fault() const { return m_fault; }

private:
    const Header& m_header;
    const std::vector<std::string>& m_fields;
    std::string m_fault;
};

/// "3", "0.3", "0,3" or "(0, 3)".
std::optional<std::array<std::uint64_t, 2>> poolOf(std::string_view text)
{
    if (text.starts_with('(') && text.ends_with(')'))
        text = text.substr(1, text.size() - 2);
    const std::size_t between = text.find_first_of(".,");
    const auto first = parsedNumber<std::uint64_t>(base::trimmed(text.substr(0, between)));
    if (between == std::string_view::npos)
        return first ? std::optional{std::array<std::uint64_t, 2>{*first, 0}} : std::nullopt;
    const auto second = parsedNumber<std::uint64_t>(base::trimmed(text.substr(between + 1)));
    return first && second ? std::optional{std::array{*first, *second}} : std::nullopt;
}

/// "model.py:12:forward": a stack of one frame. Different stacks may share it: their number is its
/// detail.
memtrace::StackId stackOf(std::string_view frame, std::string_view stackId,
                          memtrace::StackTableBuilder& stacks)
{
    if (frame.empty() || frame == "(no Python frame)" || frame == "(before the recording)")
        return {};
    memtrace::Frame made;
    std::string_view name = frame;
    for (std::size_t at = frame.find(':'); at != std::string_view::npos;
         at = frame.find(':', at + 1)) {
        const std::size_t end = frame.find(':', at + 1);
        if (end == std::string_view::npos)
            break;
        const auto line = parsedNumber<std::int32_t>(frame.substr(at + 1, end - at - 1));
        if (!line || *line < 0)
            continue;
        made.file = stacks.text(frame.substr(0, at));
        made.line = *line;
        name = frame.substr(end + 1);
        break;
    }
    made.name = stacks.text(name);
    made.detail = stacks.text(stackId.empty() ? std::string{} : fmt::format("stack {}", stackId));
    return stacks.stack(std::array{stacks.frame(made)});
}

std::string orderFault(const AllocationRow& row)
{
    const auto isBefore = [](std::int64_t end, std::int64_t begin) {
        return end != AllocationRow::kEmpty && begin != AllocationRow::kEmpty && end < begin;
    };
    if (isBefore(row.freeEvent, row.allocEvent))
        return fmt::format("free_event {} comes before alloc_event {}", row.freeEvent,
                           row.allocEvent);
    if (isBefore(row.freeNs, row.allocNs))
        return fmt::format("free_ns {} comes before alloc_ns {}", row.freeNs, row.allocNs);
    return {};
}

bool isUtf8Text(const std::vector<std::string>& fields)
{
    return std::ranges::all_of(fields, [](std::string_view field) {
        while (!field.empty()) {
            const std::size_t length = base::firstCharacter(field).length;
            if (length == 0)
                return false;
            field.remove_prefix(length);
        }
        return true;
    });
}

tl::unexpected<base::Error> wrong(std::string fault)
{
    return base::failure(base::ErrorKind::File, std::move(fault));
}

} // namespace

bool Header::isEnough() const
{
    return has(Column::Bytes)
           && (has(Column::AllocEvent) || has(Column::FreeEvent) || has(Column::AllocNs)
               || has(Column::FreeNs));
}

Header headerOf(const std::vector<std::string>& fields)
{
    Header header;
    header.fields = fields.size();
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const auto* const name =
            std::ranges::find(kColumnNames, base::lowered(base::trimmed(fields[i])));
        if (name == kColumnNames.end())
            continue;
        auto& field = header.fieldOf.at(static_cast<std::size_t>(name - kColumnNames.begin()));
        if (!field)
            field = i;
    }
    return header;
}

Result<AllocationRow> rowOf(const Header& header, const std::vector<std::string>& fields,
                            memtrace::StackTableBuilder& stacks)
{
    if (fields.size() != header.fields)
        return wrong(fmt::format("it has {} fields, but the first line has {}", fields.size(),
                                 header.fields));
    if (!isUtf8Text(fields))
        return wrong("it is not UTF-8");
    constexpr std::int64_t kMostBytes = std::int64_t{1} << 50U;
    constexpr std::uint64_t kHighest = std::numeric_limits<std::uint64_t>::max();
    FieldReader read{header, fields};
    AllocationRow row;
    const auto when = [&](Column column) {
        return read.number<std::int64_t>(column, -kLongest, kLongest)
            .value_or(AllocationRow::kEmpty);
    };
    row.device = static_cast<std::int16_t>(
        read.number<std::int64_t>(Column::Device, -1, kMostDevices - 1).value_or(0));
    row.address = read.number<std::uint64_t>(Column::Address, 0, (std::uint64_t{1} << 63U) - 1)
                      .value_or(memtrace::kNoAddress);
    const auto bytes = read.number<std::int64_t>(Column::Bytes, 0, kMostBytes);
    if (!bytes)
        read.refuse(Column::Bytes, "a number of bytes");
    row.bytes = bytes.value_or(0);
    static_cast<void>(read.number<std::int64_t>(Column::BlockBytes, 0, kMostBytes));
    row.allocEvent = when(Column::AllocEvent);
    row.freeEvent = when(Column::FreeEvent);
    row.allocNs = when(Column::AllocNs);
    row.freeNs = when(Column::FreeNs);
    row.stream = read.number<std::uint64_t>(Column::Stream, 0, kHighest).value_or(0);
    if (const std::string_view pool = read.text(Column::Pool); !pool.empty()) {
        const auto pair = poolOf(pool);
        if (!pair)
            read.refuse(Column::Pool, "a pair such as 0.3");
        row.pool = pair.value_or(row.pool);
    }
    std::string fault = read.fault().empty() ? orderFault(row) : read.fault();
    if (!fault.empty())
        return wrong(std::move(fault));
    row.memoryClass = stacks.text(read.text(Column::Class));
    row.stack = static_cast<std::uint32_t>(
        stackOf(read.text(Column::Frame), read.text(Column::StackId), stacks).index());
    return row;
}

} // namespace plimsoll::readers::csv

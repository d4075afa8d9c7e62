// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::readers::csv {

/// Divides comma-separated values (RFC 4180: quoted fields may contain commas, line ends and
/// doubled quotes) that come in parts of any size into records, and holds one of them at a time.
/// Lines end with LF, CRLF or CR; empty ones are left out.
class Records
{
public:
    /// Takes the fields of a record and the number of its first line, from 1. False ends it.
    using Take = std::function<bool(std::vector<std::string>& fields, std::uint64_t line)>;
    explicit Records(Take take) : m_take{std::move(take)} {}

    /// False: the taker ended it, or fault() tells why.
    [[nodiscard]] bool feed(std::string_view part);
    [[nodiscard]] bool finish();
    /// What is wrong with line(), without the file; empty: nothing.
    [[nodiscard]] const std::string& fault() const { return m_fault; }
    [[nodiscard]] std::uint64_t line() const { return m_recordLine; }

    /// After finish(): the last line had no end, as that of a file that was cut off.
    [[nodiscard]] bool lacksLastEnd() const { return m_lacksLastEnd; }

    static constexpr std::size_t kMostRecordBytes = std::size_t{1} << 20U;
    static constexpr std::size_t kMostFields = 1000;

private:
    enum class State : std::uint8_t { FieldBegin, Plain, Quoted, AfterQuote };

    bool take(char c);
    bool takeUnquoted(char c);
    bool append(char c);
    bool endField();
    bool endRecord();
    bool fail(std::string fault);

    Take m_take;
    State m_state = State::FieldBegin;
    std::vector<std::string> m_fields;
    std::string m_field;
    std::size_t m_bytes = 0; ///< of the record
    bool m_isAfterReturn = false;
    bool m_hasContent = false; ///< the record isn't an empty line
    std::uint64_t m_line = 1;
    std::uint64_t m_recordLine = 1;
    bool m_isFirst = true;
    bool m_lacksLastEnd = false;
    std::string m_fault;
};

} // namespace plimsoll::readers::csv

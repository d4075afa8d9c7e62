// SPDX-License-Identifier: Apache-2.0
#include "core/readers/csv/reader.h"

#include "core/base/try.h"
#include "core/base/unicode.h"
#include "core/readers/csv/build_trace.h"
#include "core/readers/memory_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace plimsoll::readers::csv {

namespace {

using base::Result;

/// What is done between two requests to stop.
constexpr std::size_t kSlice = std::size_t{256} << 10U;
/// Only the memory limits the size of a table.
constexpr io::ReadLimits kLimits{.bytes = std::uint64_t{1} << 40U};
constexpr MemoryBound kBound{4, Reading::kFreeBytes};
/// Beside the row: its two steps while they are ordered, and its events in the trace.
constexpr std::size_t kPerRow = sizeof(AllocationRow) + 128;
/// A new stack of one frame with two texts, or a new class, beside their characters.
constexpr std::size_t kPerName = 448;

/// Whether the first line names the columns of such a table.
bool sniff(std::string_view head)
{
    head.remove_prefix(base::byteOrderMark(head));
    bool isTable = false;
    Records records{[&](const std::vector<std::string>& fields, std::uint64_t /*line*/) {
        isTable = headerOf(fields).isEnough();
        return false;
    }};
    static_cast<void>(records.feed(head) && records.finish());
    return isTable;
}

Result<FileValue> read(io::Source& source, const base::JobContext& context)
{
    // Streaming reports up to one half.
    const base::JobContext walk = source.isInMemory() ? context.piece(0, 2) : context;
    Reading reading{source.name(), context.curve};
    const io::Sink sink = [&](std::string_view part, const io::FileFacts& file) -> Result<void> {
        while (!part.empty()) {
            if (walk.stopRequested())
                return base::cancelled();
            const std::string_view slice = part.substr(0, kSlice);
            RETURN_IF_ERROR(reading.feed(slice, file));
            part.remove_prefix(slice.size());
        }
        return {};
    };
    RETURN_IF_ERROR(source.stream(sink, walk, kLimits));
    return reading.finish(context.piece(1, 2)).map([](ReadProfile profile) {
        return FileValue{std::move(profile)};
    });
}

} // namespace

Reading::Reading(std::string name, base::CurveSoFar* curve)
    : m_name{std::move(name)}
    , m_builder{curve}
    , m_records{[this](const std::vector<std::string>& fields, std::uint64_t line) {
        return take(fields, line);
    }}
{
}

bool Reading::take(const std::vector<std::string>& fields, std::uint64_t line)
{
    if (!m_header) {
        m_header = headerOf(fields);
        if (!m_header->isEnough())
            m_fault = "it names no column bytes, or none of alloc_event, free_event, alloc_ns and "
                      "free_ns";
        return m_header->isEnough();
    }
    Result<AllocationRow> row = rowOf(*m_header, fields, m_builder.stacks());
    if (!row) {
        m_fault = row.error().message;
        return false;
    }
    row->line = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(line, std::numeric_limits<std::uint32_t>::max()));
    const std::uint32_t newest =
        std::max(row->stack, static_cast<std::uint32_t>(row->memoryClass.index()));
    if (newest > m_newestName) {
        m_newestName = newest;
        m_nameBytes += kPerName;
        for (const std::string& field : fields)
            m_nameBytes += field.size();
    }
    m_rows.push_back(*row);
    return true;
}

tl::unexpected<base::Error> Reading::refused() const
{
    const std::string fault = m_fault.empty() ? "it " + m_records.fault() : m_fault;
    return base::failure(base::ErrorKind::File,
                         fmt::format("{} line {}: {}.", m_name, m_records.line(), fault));
}

std::size_t Reading::memoryBytes() const
{
    return m_rows.size() * kPerRow + m_nameBytes;
}

Result<void> Reading::feed(std::string_view part, const io::FileFacts& file)
{
    m_hash.add(part);
    m_fed += part.size();
    if (!m_records.feed(part))
        return refused();
    if (memoryBytes() > kBound.most(m_fed, file)) {
        m_fault = "the file " + MemoryBound::refusal("a table", file);
        return refused();
    }
    return {};
}

Result<ReadProfile> Reading::finish(const base::JobContext& context)
{
    if (!m_records.finish())
        return refused();
    const auto failed = [&](base::Error error, std::string_view about) {
        if (error.kind == base::ErrorKind::File)
            error.message = fmt::format("{} {}{}.", m_name, about, error.message);
        return tl::unexpected{std::move(error)};
    };
    if (auto added = addRows(m_rows, m_builder, context.piece(0, 2)); !added)
        return failed(std::move(added).error(), {});
    m_rows = {};
    m_builder.count("last_line_without_end", m_records.lacksLastEnd() ? 1 : 0);
    m_builder.addGap("What was reserved was not recorded.");
    auto trace = std::move(m_builder).build(context.piece(1, 2));
    if (!trace)
        return failed(std::move(trace).error(), "is a table of allocations, but ");
    ReadProfile result;
    result.formatId = kFormatId;
    result.formatVersion = 1;
    result.contentHash = m_hash.text();
    result.trace = *std::move(trace);
    return result;
}

ReaderDescriptor descriptor()
{
    return {.id = kFormatId,
            .name = "table of allocations",
            .kind = FileKind::Profile,
            .extensions = {".csv"},
            .instead = "\"plimsoll-cli inspect\" shows what it holds",
            .sniff = sniff,
            .read = read,
            .whyNoOps = "has no kernels"};
}

} // namespace plimsoll::readers::csv

// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys/convert.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/readers/nsys/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace plimsoll::readers::nsys {

namespace {

using base::Result;
using memtrace::Action;
using memtrace::RecordedEvent;
using memtrace::StackId;

constexpr std::int64_t kHost = -1;
constexpr std::int64_t kMostDevices = 4096;
constexpr std::int64_t kLongest = std::int64_t{1} << 61U; ///< nanoseconds; sums fit 64 bits

/// Of "cudaMalloc_v3020" what people write.
std::string_view functionName(std::string_view name)
{
    const std::size_t at = name.rfind("_v");
    const bool isVersion =
        at != std::string_view::npos && at + 2 < name.size()
        && name.find_first_not_of("0123456789", at + 2) == std::string_view::npos;
    return isVersion ? name.substr(0, at) : name;
}

/// Reads the tables and hands the events to the builder.
class Export
{
public:
    Export(Database& database, memtrace::Builder& builder)
        : m_database{database}, m_builder{builder}
    {
    }

    Result<void> convert(const base::JobContext& context)
    {
        RETURN_IF_ERROR(readHeader());
        RETURN_IF_ERROR(readMemory());
        context.report(1, 4);
        ASSIGN_OR_RETURN(const NvtxRanges ranges, readRanges(m_database, m_strings));
        RETURN_IF_ERROR(addStacks());
        context.report(2, 4);
        chooseProcesses();
        RETURN_IF_ERROR(addMemory(context));
        context.report(3, 4);
        addRanges(ranges);
        addGaps();
        return {};
    }

private:
    struct Held
    {
        std::int64_t bytes = 0;
        std::uint64_t stream = 0;
        std::array<std::uint64_t, 2> pool{};
        StackId stack;
    };

    Result<void> readHeader();
    Result<void> readMemory();
    /// False: the row isn't memory that is shown.
    bool takeRow(const Row& row, const Enums& enums, const GpuOf& gpus, MemoryRow& into);
    Result<void> addStacks();
    [[nodiscard]] StackId stackOf(const Call& call, const Chains& chains);
    void chooseProcesses();
    Result<void> addMemory(const base::JobContext& context);
    Result<void> add(const MemoryRow& row);
    Result<void> addEvent(int device, RecordedEvent event, Action action);
    Result<void> addEnd();
    void addRanges(const NvtxRanges& ranges);
    void addGaps();
    [[nodiscard]] static tl::unexpected<base::Error> impossible(const base::Error& error);

    Database& m_database;
    memtrace::Builder& m_builder;
    Strings m_strings;
    std::vector<MemoryRow> m_rows;
    std::map<std::size_t, std::string> m_variables;    ///< by row: names of static variables
    std::int64_t m_epoch = 0;                          ///< since 1970, of time 0
    std::map<std::int64_t, std::uint32_t> m_processOf; ///< by device
    std::map<int, std::map<std::uint64_t, Held>> m_held;
    bool m_hasChains = false;
};

tl::unexpected<base::Error> Export::impossible(const base::Error& error)
{
    return base::failure(
        error.kind, fmt::format("has a row of {} that can't be: {}", kMemoryTable, error.message));
}

Result<void> Export::readHeader()
{
    if (m_database.hasTable("TARGET_INFO_SESSION_START_TIME"))
        RETURN_IF_ERROR(m_database.each(
            "SELECT " + m_database.columns("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"})
                + " FROM TARGET_INFO_SESSION_START_TIME t",
            [&](const Row& row) -> Result<void> {
                const std::int64_t epoch = row.integer(0).value_or(0);
                m_epoch = epoch >= 0 && epoch < kLongest ? epoch : 0;
                return {};
            }));
    for (const char* table : {"META_DATA_CAPTURE", "META_DATA_EXPORT"})
        if (m_database.hasTable(table))
            RETURN_IF_ERROR(
                m_database.each("SELECT " + m_database.columns(table, {"name", "value"}) + " FROM "
                                    + table + " t WHERE name LIKE '%VERSION%' LIMIT 50",
                                [&](const Row& row) -> Result<void> {
                                    if (!row.text(1).empty())
                                        m_builder.setSetting(base::printable(row.text(0)),
                                                             base::printable(row.text(1)));
                                    return {};
                                }));
    if (m_database.hasTable("TARGET_INFO_GPU"))
        RETURN_IF_ERROR(m_database.each("SELECT "
                                            + m_database.columns("TARGET_INFO_GPU", {"id", "name"})
                                            + " FROM TARGET_INFO_GPU t LIMIT 1000",
                                        [&](const Row& row) -> Result<void> {
                                            if (const auto id = row.integer(0))
                                                m_builder.setSetting(fmt::format("device {}", *id),
                                                                     base::printable(row.text(1)));
                                            return {};
                                        }));
    return {};
}

bool Export::takeRow(const Row& row, const Enums& enums, const GpuOf& gpus, MemoryRow& into)
{
    const auto start = row.integer(0);
    const auto device = row.integer(1);
    const auto address = row.integer(2);
    const auto bytes = row.integer(3);
    const auto operation = enums.operation(row.integer(5));
    if (!start || *start < -kLongest || *start > kLongest || !address || *address == 0 || !bytes) {
        m_builder.count("incomplete_events");
        return false;
    }
    if (!operation) {
        m_builder.count("unknown_operations");
        return false;
    }
    const Kind kind = enums.kind(row.integer(4));
    into.process = processOf(row.integer(7).value_or(0));
    into.device = kHost;
    if (kind == Kind::Device && device) {
        const auto gpu = gpus.find({into.process, *device});
        into.device = gpu != gpus.end() ? gpu->second : *device;
    }
    if (kind == Kind::Other
        || (kind == Kind::Device && (!device || into.device < 0 || into.device >= kMostDevices))) {
        m_builder.count("memory_of_unknown_kind");
        return false;
    }
    into.start = *start;
    into.address = static_cast<std::uint64_t>(*address);
    into.bytes = *bytes;
    into.operation = *operation;
    into.correlation = row.integer(6);
    into.stream = static_cast<std::uint64_t>(row.integer(8).value_or(0));
    into.pool = static_cast<std::uint64_t>(row.integer(9).value_or(0));
    return true;
}

Result<void> Export::readMemory()
{
    if (!m_database.hasTable("StringIds") && !m_database.hasTable(kMemoryTable))
        return base::failure(base::ErrorKind::File,
                             "is no export of Nsight Systems (it has no table StringIds); make one "
                             "with \"nsys export --type sqlite\"");
    if (!m_database.hasTable(kMemoryTable))
        return base::failure(base::ErrorKind::File,
                             fmt::format("is an export of Nsight Systems without memory (it has no "
                                         "table {}); record it with \"nsys profile "
                                         "--cuda-memory-usage=true\" and export it again",
                                         kMemoryTable));
    ASSIGN_OR_RETURN(const Enums enums, Enums::read(m_database));
    ASSIGN_OR_RETURN(const GpuOf gpus, readGpus(m_database));
    RETURN_IF_ERROR(m_database.each(
        "SELECT "
            + m_database.columns(kMemoryTable, {"start", "deviceId", "address", "bytes", "memKind",
                                                "memoryOperationType", "correlationId", "globalPid",
                                                "streamId", "localMemoryPoolAddress", "name"})
            + " FROM " + kMemoryTable + " t",
        [&](const Row& row) -> Result<void> {
            constexpr int kName = 10;
            MemoryRow read;
            if (!takeRow(row, enums, gpus, read))
                return {};
            if (!row.text(kName).empty())
                m_variables.emplace(m_rows.size(), row.text(kName));
            m_rows.push_back(read);
            return {};
        }));
    if (m_rows.empty())
        return base::failure(base::ErrorKind::File,
                             "is an export of Nsight Systems in which no memory was allocated");
    return {};
}

Result<void> Export::addStacks()
{
    Calls calls;
    for (const MemoryRow& row : m_rows)
        if (row.correlation)
            calls.try_emplace({row.process, *row.correlation});
    RETURN_IF_ERROR(readCalls(m_database, calls, m_strings));
    Chains chains;
    for (const auto& [key, call] : calls)
        if (call.callchain)
            chains.try_emplace(*call.callchain);
    RETURN_IF_ERROR(readChains(m_database, chains, m_strings));
    m_hasChains = std::ranges::any_of(chains, [](const auto& c) { return !c.second.empty(); });
    RETURN_IF_ERROR(m_strings.read(m_database));
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        MemoryRow& row = m_rows[i];
        if (const auto variable = m_variables.find(i); variable != m_variables.end()) {
            memtrace::StackTableBuilder& stacks = m_builder.stacks();
            row.stack = static_cast<std::uint32_t>(
                stacks
                    .stack(std::array{stacks.frame(
                        {.file = {}, .name = stacks.text(variable->second), .detail = {}})})
                    .index());
        } else if (row.correlation) {
            row.stack = static_cast<std::uint32_t>(
                stackOf(calls.at({row.process, *row.correlation}), chains).index());
        }
    }
    return {};
}

StackId Export::stackOf(const Call& call, const Chains& chains)
{
    memtrace::StackTableBuilder& stacks = m_builder.stacks();
    std::vector<memtrace::FrameId> frames;
    if (const std::string_view name = functionName(m_strings[call.name]); !name.empty())
        frames.push_back(
            stacks.frame({.file = {},
                          .name = stacks.text(name),
                          .detail = stacks.text(fmt::format("thread {}", call.thread))}));
    if (const auto chain = call.callchain ? chains.find(*call.callchain) : chains.end();
        chain != chains.end())
        for (const ChainFrame& frame : chain->second)
            frames.push_back(stacks.frame({.file = stacks.text(m_strings[frame.module]),
                                           .name = stacks.text(m_strings[frame.symbol]),
                                           .detail = {}}));
    return stacks.stack(frames);
}

/// Processes have addresses of their own: of several on one GPU the one with the most rows is
/// shown.
void Export::chooseProcesses()
{
    std::map<std::pair<std::int64_t, std::uint32_t>, std::size_t> counts;
    for (const MemoryRow& row : m_rows)
        ++counts[{row.device, row.process}];
    std::map<std::int64_t, std::size_t> most;
    for (const auto& [key, count] : counts)
        if (count > most[key.first]) {
            most[key.first] = count;
            m_processOf[key.first] = key.second;
        }
    std::size_t others = 0;
    for (const auto& [key, count] : counts)
        others += m_processOf[key.first] == key.second ? 0 : count;
    m_builder.count("memory_of_other_processes", others);
    if (others > 0)
        m_builder.addGap("Several processes used one GPU: of each GPU the process with the most "
                         "allocations is shown.");
}

Result<void> Export::addEvent(int device, RecordedEvent event, Action action)
{
    event.action = action;
    const auto added = m_builder.device(device).add(event);
    return added ? Result<void>{} : impossible(added.error());
}

Result<void> Export::add(const MemoryRow& row)
{
    const int device = static_cast<int>(row.device);
    RecordedEvent event;
    event.address = row.address;
    event.bytes = row.bytes;
    event.timeNs = m_epoch + row.start;
    event.stream = row.stream;
    event.pool = std::array<std::uint64_t, 2>{row.pool, 0};
    event.stack = StackId{row.stack};
    auto& held = m_held[device];
    if (row.operation == Operation::Allocate) {
        RETURN_IF_ERROR(addEvent(device, event, Action::SegmentAlloc));
        RETURN_IF_ERROR(addEvent(device, event, Action::Alloc));
        held[event.address] = {event.bytes, event.stream, *event.pool, event.stack};
        return {};
    }
    if (const auto known = held.find(event.address); known != held.end()) {
        event.bytes = known->second.bytes;
        event.stream = known->second.stream;
        event.pool = known->second.pool;
        held.erase(known);
    }
    RETURN_IF_ERROR(addEvent(device, event, Action::FreeRequested));
    RETURN_IF_ERROR(addEvent(device, event, Action::FreeCompleted));
    return addEvent(device, event, Action::SegmentFree);
}

Result<void> Export::addMemory(const base::JobContext& context)
{
    constexpr std::size_t kStride = std::size_t{1} << 14U;
    std::ranges::stable_sort(m_rows, {}, &MemoryRow::start);
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (i % kStride == 0 && context.stopRequested())
            return base::cancelled();
        if (m_processOf[m_rows[i].device] == m_rows[i].process)
            RETURN_IF_ERROR(add(m_rows[i]));
    }
    m_rows = {};
    return addEnd();
}

/// What is still held when the recording ends.
Result<void> Export::addEnd()
{
    for (const auto& [device, blocks] : m_held)
        for (const auto& [address, held] : blocks) {
            const auto segment = m_builder.device(device).addSegment({.address = address,
                                                                      .bytes = held.bytes,
                                                                      .stream = held.stream,
                                                                      .pool = held.pool,
                                                                      .isLarge = true,
                                                                      .isExpandable = false,
                                                                      .stack = held.stack});
            const auto block =
                m_builder.device(device).addBlock({.address = address,
                                                   .bytes = held.bytes,
                                                   .requestedBytes = held.bytes,
                                                   .state = memtrace::RecordedBlock::State::Active,
                                                   .stack = held.stack});
            if (!segment)
                return impossible(segment.error());
            if (!block)
                return impossible(block.error());
        }
    return {};
}

/// The ranges of a process are those of its devices.
void Export::addRanges(const NvtxRanges& ranges)
{
    constexpr std::size_t kMost = 1'000'000;
    std::size_t added = 0;
    std::size_t leftOut = ranges.leftOut;
    for (const auto& [device, process] : m_processOf)
        for (const NvtxRange& range : ranges.ranges) {
            if (range.process != process || range.start < -kLongest || range.end > kLongest)
                continue;
            const std::string_view name =
                range.name < 0
                    ? std::string_view{ranges.texts[static_cast<std::size_t>(-1 - range.name)]}
                    : m_strings[range.name];
            if (name.empty())
                continue;
            if (++added > kMost)
                ++leftOut;
            else
                m_builder.addRange(base::printable(name), static_cast<int>(device),
                                   m_epoch + range.start, m_epoch + range.end);
        }
    m_builder.count("ranges_left_out", leftOut);
}

void Export::addGaps()
{
    m_builder.setOfDriver();
    if (!m_hasChains)
        m_builder.addGap("Call stacks were not recorded (nsys profile --cudabacktrace=memory).");
}

} // namespace

Result<void> convert(Database& database, memtrace::Builder& builder,
                     const base::JobContext& context)
{
    return Export{database, builder}.convert(context);
}

} // namespace plimsoll::readers::nsys

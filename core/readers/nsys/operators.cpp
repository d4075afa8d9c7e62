// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys/operators.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/memtrace/ops/op_recording_builder.h"
#include "core/readers/nsys/tables.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace plimsoll::readers::nsys {

namespace {

using base::Result;

constexpr std::int64_t kLatest = std::int64_t{1} << 61U; ///< nanoseconds; sums fit 64 bits
constexpr std::int64_t kMostGpus = 4096;

/// "8x64,64" of "[], [8, 64], [64]]"; lists of tensors are left out.
std::string shapesOf(std::string_view sizes)
{
    constexpr std::size_t kMostText = 200;
    std::string shapes;
    while (sizes.starts_with('[')) {
        const std::size_t end = sizes.find_first_of("[]", 1);
        if (end == std::string_view::npos)
            break;
        if (sizes[end] == '[') { // a list of tensors
            const std::size_t over = sizes.find("]]");
            sizes.remove_prefix(over == std::string_view::npos ? sizes.size() : over + 2);
        } else {
            std::string shape;
            for (const char c : sizes.substr(1, end - 1))
                if (c >= '0' && c <= '9')
                    shape += c;
                else if (c == ',')
                    shape += 'x';
            if (shapes.size() + shape.size() >= kMostText)
                break;
            if (!shape.empty())
                shapes += (shapes.empty() ? "" : ",") + shape;
            sizes.remove_prefix(end + 1);
        }
        sizes.remove_prefix(std::min(sizes.find_first_not_of(", "), sizes.size()));
    }
    return shapes;
}

bool isTime(std::optional<std::int64_t> time)
{
    return time && *time > -kLatest && *time < kLatest;
}

/// Reads the tables and hands them to the builder.
class Operators
{
public:
    explicit Operators(Database& database) : m_database{database} {}

    Result<memtrace::OpRecordingPtr> read(const base::JobContext& context)
    {
        ASSIGN_OR_RETURN(const GpuOf gpus, readGpus(m_database));
        for (const char* table : {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY",
                                  "CUPTI_ACTIVITY_KIND_MEMSET"})
            RETURN_IF_ERROR(readWork(table, gpus));
        chooseProcess();
        RETURN_IF_ERROR(readHeader());
        context.report(1, 4);
        RETURN_IF_ERROR(readLaunches());
        context.report(2, 4);
        RETURN_IF_ERROR(readSpans());
        context.report(3, 4);
        if (context.stopRequested())
            return base::cancelled();
        for (const Work& work : m_works)
            addWork(work);
        return std::move(m_builder).build();
    }

private:
    struct Work
    {
        std::uint32_t process = 0;
        int device = 0;
        std::int64_t time = 0;
        std::optional<std::int64_t> correlation;
    };
    struct Launch
    {
        std::int64_t thread = 0;
        std::int64_t start = 0;
    };

    [[nodiscard]] std::string select(const char* table,
                                     std::initializer_list<std::string_view> columns) const
    {
        return "SELECT " + m_database.columns(table, columns) + " FROM " + table + " t";
    }
    [[nodiscard]] std::uint32_t threadOf(std::int64_t globalTid)
    {
        return m_threads.try_emplace(globalTid, static_cast<std::uint32_t>(m_threads.size()))
            .first->second;
    }

    Result<void> readWork(const char* table, const GpuOf& gpus)
    {
        if (!m_database.hasTable(table))
            return {};
        return m_database.each(
            select(table, {"start", "end", "deviceId", "correlationId", "globalPid"}),
            [&](const Row& row) -> Result<void> {
                const auto start = row.integer(0);
                const auto end = row.integer(1);
                const auto device = row.integer(2);
                if (!isTime(start) || !isTime(end) || *end < *start || !device) {
                    m_builder.addUnusable();
                    return {};
                }
                const std::uint32_t process = processOf(row.integer(4).value_or(0));
                const auto gpu = gpus.find({process, *device});
                const std::int64_t ordinal = gpu != gpus.end() ? gpu->second : *device;
                if (ordinal >= 0 && ordinal < kMostGpus)
                    m_works.push_back(
                        {process, static_cast<int>(ordinal), *end - *start, row.integer(3)});
                return {};
            });
    }

    void chooseProcess()
    {
        std::map<std::uint32_t, std::size_t> counts;
        for (const Work& work : m_works)
            ++counts[work.process];
        const auto most =
            std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
        if (most == counts.end())
            return;
        m_process = most->first;
        std::erase_if(m_works, [&](const Work& work) { return work.process != m_process; });
    }

    Result<void> readHeader()
    {
        if (m_database.hasTable("TARGET_INFO_SESSION_START_TIME"))
            RETURN_IF_ERROR(
                m_database.each(select("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}),
                                [&](const Row& row) -> Result<void> {
                                    if (isTime(row.integer(0)))
                                        m_builder.setBase(*row.integer(0));
                                    return {};
                                }));
        if (m_database.hasTable("TARGET_INFO_GPU"))
            RETURN_IF_ERROR(m_database.each(
                select("TARGET_INFO_GPU", {"id", "name"}), [&](const Row& row) -> Result<void> {
                    const auto id = row.integer(0);
                    if (id && *id >= 0 && *id < kMostGpus)
                        m_builder.setDeviceName(static_cast<int>(*id),
                                                base::printable(row.text(1)));
                    return {};
                }));
        return {};
    }

    Result<void> readLaunches()
    {
        constexpr const char* kTable = "CUPTI_ACTIVITY_KIND_RUNTIME";
        for (const Work& work : m_works)
            if (work.correlation)
                m_launches.try_emplace(*work.correlation);
        if (!m_database.hasTable(kTable))
            return {};
        return m_database.each(select(kTable, {"start", "correlationId", "globalTid"}),
                               [&](const Row& row) -> Result<void> {
                                   const auto correlation = row.integer(1);
                                   const auto thread = row.integer(2);
                                   const auto launch = correlation ? m_launches.find(*correlation)
                                                                   : m_launches.end();
                                   if (launch != m_launches.end() && isTime(row.integer(0))
                                       && thread && processOf(*thread) == m_process)
                                       launch->second = Launch{*thread, *row.integer(0)};
                                   return {};
                               });
    }

    Result<void> readSpans()
    {
        constexpr const char* kTable = "NVTX_EVENTS";
        struct Range
        {
            memtrace::OpSpan span;
            std::int64_t textId = 0;
        };
        std::vector<Range> named; // by StringIds
        if (!m_database.hasTable(kTable))
            return {};
        RETURN_IF_ERROR(m_database.each(
            select(kTable, {"start", "end", "text", "textId", "globalTid"}),
            [&](const Row& row) -> Result<void> {
                const auto thread = row.integer(4);
                if (!isTime(row.integer(0)) || !isTime(row.integer(1)) || !thread
                    || *row.integer(1) < *row.integer(0) || processOf(*thread) != m_process)
                    return {};
                Range range;
                range.span.begin = *row.integer(0);
                range.span.end = *row.integer(1);
                range.span.thread = threadOf(*thread);
                if (!row.text(2).empty()) {
                    addSpan(range.span, row.text(2));
                } else if (const auto id = row.integer(3)) {
                    range.textId = *id;
                    m_strings.need(*id);
                    named.push_back(range);
                }
                return {};
            }));
        RETURN_IF_ERROR(m_strings.read(m_database));
        for (const Range& range : named)
            addSpan(range.span, m_strings[range.textId]);
        return {};
    }

    void addSpan(memtrace::OpSpan span, std::string_view text)
    {
        const NvtxOperator of = NvtxOperator::of(text);
        if (of.name.empty())
            return;
        span.name = m_builder.text(of.name);
        span.shapes = m_builder.text(of.shapes);
        span.isRange = of.isRange();
        m_builder.addSpan(span);
    }

    void addWork(const Work& work)
    {
        const base::Nanoseconds time{work.time};
        const auto launch =
            work.correlation ? m_launches.find(*work.correlation) : m_launches.end();
        if (launch != m_launches.end() && launch->second)
            m_builder.addWorkAt(work.device, time, threadOf(launch->second->thread),
                                launch->second->start);
        else
            m_builder.addUntied(work.device, time);
    }

    Database& m_database;
    memtrace::OpRecordingBuilder m_builder;
    Strings m_strings;
    std::vector<Work> m_works;
    std::uint32_t m_process = 0;
    std::unordered_map<std::int64_t, std::optional<Launch>> m_launches; ///< by correlation
    std::unordered_map<std::int64_t, std::uint32_t> m_threads;          ///< by globalTid
};

} // namespace

NvtxOperator NvtxOperator::of(std::string_view text)
{
    constexpr std::string_view kSizes = ", sizes = [";
    std::size_t end = text.size();
    for (const std::string_view more :
         {std::string_view{", seq = "}, std::string_view{", op_id = "}, kSizes})
        end = std::min(end, text.find(more));
    const std::size_t sizes = text.find(kSizes);
    return {text.substr(0, end), sizes == std::string_view::npos
                                     ? std::string{}
                                     : shapesOf(text.substr(sizes + kSizes.size()))};
}

Result<memtrace::OpRecordingPtr> readOperators(Database& database, const base::JobContext& context)
{
    return Operators{database}.read(context);
}

} // namespace plimsoll::readers::nsys

// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys/tables.h"

#include "core/base/try.h"

#include <algorithm>

namespace plimsoll::readers::nsys {

namespace {

using base::Result;

constexpr std::size_t kMostFrames = 256;

/// The rows of a table `t`.
std::string select(const Database& database, std::string_view table,
                   std::initializer_list<std::string_view> columns)
{
    return "SELECT " + database.columns(table, columns) + " FROM " + std::string{table} + " t";
}

} // namespace

Result<void> Strings::read(Database& database)
{
    if (!database.hasTable("StringIds"))
        return {};
    return database.each(select(database, "StringIds", {"id", "value"}),
                         [&](const Row& row) -> Result<void> {
                             if (const auto id = row.integer(0))
                                 if (const auto needed = m_texts.find(*id); needed != m_texts.end())
                                     needed->second = row.text(1);
                             return {};
                         });
}

Result<void> readCalls(Database& database, Calls& calls, Strings& strings)
{
    constexpr std::string_view kTable = "CUPTI_ACTIVITY_KIND_RUNTIME";
    if (calls.empty() || !database.hasTable(kTable))
        return {};
    return database.each(
        select(database, kTable, {"globalTid", "correlationId", "nameId", "callchainId"}),
        [&](const Row& row) -> Result<void> {
            const auto thread = row.integer(0);
            const auto correlation = row.integer(1);
            const auto name = row.integer(2);
            if (!thread || !correlation || !name)
                return {};
            const auto known = calls.find({processOf(*thread), *correlation});
            if (known == calls.end())
                return {};
            // The runtime's call comes before the driver's that it makes, and may share its id.
            Call& call = known->second;
            if (call.name == 0) {
                call.name = *name;
                call.thread = *thread & 0xffffff;
                strings.need(*name);
            }
            if (const auto chain = row.integer(3); chain && *chain != 0 && !call.callchain)
                call.callchain = chain;
            return {};
        });
}

Result<void> readChains(Database& database, Chains& chains, Strings& strings)
{
    constexpr std::string_view kTable = "CUDA_CALLCHAINS";
    if (chains.empty() || !database.hasTable(kTable))
        return {};
    RETURN_IF_ERROR(database.each(
        select(database, kTable, {"id", "stackDepth", "symbol", "module"}),
        [&](const Row& row) -> Result<void> {
            const auto id = row.integer(0);
            const auto symbol = row.integer(2);
            const auto chain = id ? chains.find(*id) : chains.end();
            if (chain == chains.end() || !symbol || chain->second.size() >= kMostFrames)
                return {};
            chain->second.push_back(
                {row.integer(1).value_or(0), *symbol, row.integer(3).value_or(0)});
            strings.need(*symbol);
            strings.need(row.integer(3).value_or(0));
            return {};
        }));
    for (auto& [id, frames] : chains)
        std::ranges::stable_sort(frames, {}, &ChainFrame::depth);
    return {};
}

Result<NvtxRanges> readRanges(Database& database, Strings& strings)
{
    constexpr std::string_view kTable = "NVTX_EVENTS";
    constexpr std::size_t kMostRanges = 1'000'000;
    NvtxRanges read;
    if (!database.hasTable(kTable))
        return read;
    RETURN_IF_ERROR(
        database.each(select(database, kTable, {"start", "end", "text", "textId", "globalTid"}),
                      [&](const Row& row) -> Result<void> {
                          const auto start = row.integer(0);
                          const auto end = row.integer(1);
                          const auto textId = row.integer(3);
                          // Marks, and names of domains and categories, have no end.
                          if (!start || !end || *end < *start || (!textId && row.text(2).empty()))
                              return {};
                          if (read.ranges.size() >= kMostRanges) {
                              ++read.leftOut;
                              return {};
                          }
                          NvtxRange& range = read.ranges.emplace_back();
                          range.start = *start;
                          range.end = *end;
                          range.process = processOf(row.integer(4).value_or(0));
                          if (!row.text(2).empty()) {
                              read.texts.emplace_back(row.text(2));
                              range.name = -static_cast<std::int64_t>(read.texts.size());
                          } else {
                              range.name = std::max<std::int64_t>(*textId, 0);
                              strings.need(range.name);
                          }
                          return {};
                      }));
    std::ranges::stable_sort(read.ranges, [](const NvtxRange& a, const NvtxRange& b) {
        return a.start != b.start ? a.start < b.start : a.end > b.end;
    });
    return read;
}

Result<GpuOf> readGpus(Database& database)
{
    constexpr std::string_view kTable = "TARGET_INFO_CUDA_DEVICE";
    GpuOf gpus;
    if (database.hasTable(kTable))
        RETURN_IF_ERROR(
            database.each(select(database, kTable, {"pid", "cudaId", "gpuId"}),
                          [&](const Row& row) -> Result<void> {
                              const auto pid = row.integer(0);
                              const auto ordinal = row.integer(1);
                              const auto gpu = row.integer(2);
                              if (pid && ordinal && gpu)
                                  gpus[{static_cast<std::uint32_t>(*pid), *ordinal}] = *gpu;
                              return {};
                          }));
    return gpus;
}

} // namespace plimsoll::readers::nsys

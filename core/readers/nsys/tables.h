// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/nsys/enums.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plimsoll::readers::nsys {

inline constexpr const char* kMemoryTable = "CUDA_GPU_MEMORY_USAGE_EVENTS";

/// A row of kMemoryTable.
struct MemoryRow
{
    std::int64_t start = 0; ///< nanoseconds since the recording began, as all times
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
    std::int64_t device = 0; ///< a GPU of the machine, or -1: pinned host memory
    std::uint64_t stream = 0;
    std::uint64_t pool = 0; ///< address; 0: none
    std::uint32_t process = 0;
    std::uint32_t stack = 0; ///< StackId
    std::optional<std::int64_t> correlation;
    Operation operation = Operation::Allocate;
};

/// The process of a "serialized" thread or process id.
[[nodiscard]] inline std::uint32_t processOf(std::int64_t global)
{
    return static_cast<std::uint32_t>((global >> 24) & 0xffffff);
}

/// The texts of StringIds that are needed, which are few of many.
class Strings
{
public:
    void need(std::int64_t id) { m_texts.try_emplace(id); }
    [[nodiscard]] base::Result<void> read(Database& database);
    [[nodiscard]] std::string_view operator[](std::int64_t id) const
    {
        const auto known = m_texts.find(id);
        return known != m_texts.end() ? std::string_view{known->second} : std::string_view{};
    }

private:
    std::unordered_map<std::int64_t, std::string> m_texts;
};

/// A call of CUDA's API.
struct Call
{
    std::int64_t name = 0; ///< in StringIds
    std::int64_t thread = 0;
    std::optional<std::int64_t> callchain;
};
/// By process and correlation.
using Calls = std::map<std::pair<std::uint32_t, std::int64_t>, Call>;

/// Fills in the calls whose keys are there.
[[nodiscard]] base::Result<void> readCalls(Database& database, Calls& calls, Strings& strings);

/// A function on a call stack.
struct ChainFrame
{
    std::int64_t depth = 0;  ///< 0: the innermost one
    std::int64_t symbol = 0; ///< in StringIds, as the next
    std::int64_t module = 0;
};
using Chains = std::map<std::int64_t, std::vector<ChainFrame>>;
/// Fills in the chains whose ids are there, innermost frame first.
[[nodiscard]] base::Result<void> readChains(Database& database, Chains& chains, Strings& strings);

/// A range of NVTX.
struct NvtxRange
{
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::int64_t name = 0; ///< in StringIds; or, negative, -1 - position in `NvtxRanges::texts`
    std::uint32_t process = 0;
};
struct NvtxRanges
{
    std::vector<NvtxRange> ranges; ///< sorted by start, outer ones first
    std::vector<std::string> texts;
    std::size_t leftOut = 0;
};
[[nodiscard]] base::Result<NvtxRanges> readRanges(Database& database, Strings& strings);

/// By process and CUDA's ordinal in it: the GPU of the machine. Older files don't tell.
using GpuOf = std::map<std::pair<std::uint32_t, std::int64_t>, std::int64_t>;
[[nodiscard]] base::Result<GpuOf> readGpus(Database& database);

} // namespace plimsoll::readers::nsys

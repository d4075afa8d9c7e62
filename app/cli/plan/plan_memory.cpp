// SPDX-License-Identifier: Apache-2.0
#include "app/cli/plan/plan_memory.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <array>

namespace plimsoll::cli {

namespace {

constexpr std::array kMemoryKeys = {"packed_height_bytes", "packed_lower_bound_bytes",
                                    "reserved_bytes", "reserved_expandable_bytes"};

} // namespace

void addMemory(ordered_json& json, const solve::PlanMemory& memory)
{
    const std::array values = {memory.packedHeight, memory.packedLowerBound, memory.reserved,
                               memory.reservedExpandable};
    for (std::size_t i = 0; i < values.size(); ++i)
        json[kMemoryKeys[i]] = values[i].count();
}

void addNoMemory(ordered_json& json)
{
    for (const char* key : kMemoryKeys)
        json[key] = nullptr;
}

std::string memoryText(const solve::PlanMemory& memory)
{
    const auto shown = [](base::Bytes bytes) { return base::bytesText(bytes, base::Rounding::Up); };
    return fmt::format("  packed      {} ({}), {}\n"
                       "  reserved    {} by PyTorch's allocator, {} with expandable segments\n",
                       shown(memory.packedHeight), base::exactBytesText(memory.packedHeight),
                       memory.packedHeight == memory.packedLowerBound
                           ? std::string{"as low as can be"}
                           : "bound "
                                 + base::bytesText(memory.packedLowerBound, base::Rounding::Down),
                       shown(memory.reserved), shown(memory.reservedExpandable));
}

} // namespace plimsoll::cli

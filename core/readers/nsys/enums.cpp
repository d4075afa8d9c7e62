// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys/enums.h"

#include "core/base/try.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace plimsoll::readers::nsys {

namespace {

using base::Result;

/// Of several versions of nsys.
constexpr std::array<const char*, 2> kOperationTables = {"ENUM_CUDA_DEV_MEM_EVENT_OPER",
                                                         "ENUM_CUDA_MEM_OPERATION"};
constexpr const char* kKindTable = "ENUM_CUDA_MEM_KIND";

std::string upper(std::string_view text)
{
    std::string result{text};
    std::transform(result.begin(), result.end(), result.begin(), [](char c) {
        return c == ' ' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return result;
}

std::optional<Operation> operationOf(const std::string& name)
{
    if (name.ends_with("DEALLOCATION") || name.ends_with("RELEASE") || name.ends_with("FREE"))
        return Operation::Release;
    return name.ends_with("ALLOCATION") ? std::optional{Operation::Allocate} : std::nullopt;
}

Kind kindOf(const std::string& name)
{
    constexpr std::array<std::string_view, 5> kDevice = {"DEVICE", "ARRAY", "MANAGED",
                                                         "DEVICE_STATIC", "MANAGED_STATIC"};
    const auto ends = [&name](std::string_view ending) { return name.ends_with(ending); };
    if (std::any_of(kDevice.begin(), kDevice.end(), ends))
        return Kind::Device;
    return ends("PINNED") ? Kind::PinnedHost : Kind::Other;
}

/// Calls `take` with each number and its name in capitals.
template <typename Take>
Result<void> eachName(Database& database, const char* table, Take take)
{
    if (!database.hasTable(table))
        return {};
    const std::string name = database.hasColumn(table, "name") ? "name" : "label";
    return database.each("SELECT " + database.columns(table, {"id", name}) + " FROM " + table
                             + " t",
                         [&](const Row& row) -> Result<void> {
                             if (const auto id = row.integer(0))
                                 take(*id, upper(row.text(1)));
                             return {};
                         });
}

} // namespace

Result<Enums> Enums::read(Database& database)
{
    Enums enums;
    for (const char* table : kOperationTables)
        RETURN_IF_ERROR(eachName(database, table, [&](std::int64_t id, const std::string& name) {
            if (const auto operation = operationOf(name))
                enums.operations[id] = *operation;
        }));
    RETURN_IF_ERROR(eachName(database, kKindTable, [&](std::int64_t id, const std::string& name) {
        enums.kinds[id] = kindOf(name);
    }));
    if (enums.operations.empty())
        enums.operations = {{0, Operation::Allocate}, {1, Operation::Release}};
    if (enums.kinds.empty())
        enums.kinds = {{1, Kind::PinnedHost}, {2, Kind::Device}, {3, Kind::Device},
                       {4, Kind::Device},     {5, Kind::Device}, {6, Kind::Device}};
    return enums;
}

std::optional<Operation> Enums::operation(std::optional<std::int64_t> number) const
{
    const auto known = operations.find(number.value_or(-1));
    return known != operations.end() ? std::optional{known->second} : std::nullopt;
}

Kind Enums::kind(std::optional<std::int64_t> number) const
{
    if (!number)
        return Kind::Device;
    const auto known = kinds.find(*number);
    return known != kinds.end() ? known->second : Kind::Other;
}

} // namespace plimsoll::readers::nsys

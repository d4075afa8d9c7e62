// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/device_columns.h"
#include "core/memtrace/stack_table.h"

#include <string_view>

namespace plimsoll::memtrace {

/// What is wrong with columns that come from outside; empty: nothing that a view could stumble
/// over. Takes one pass over each column.
[[nodiscard]] std::string_view columnFault(const DeviceColumns& columns, const StackTable& stacks);

} // namespace plimsoll::memtrace

// SPDX-License-Identifier: Apache-2.0
#include "core/plan/frozen_stats.h"

#include <algorithm>
#include <string_view>

namespace plimsoll::plan {

bool countsBatches(const graph::Program& program, const graph::Op& op)
{
    constexpr std::string_view kCounter = "num_batches_tracked";
    if (op.writes.empty())
        return false;
    const graph::Storage& written = program.storageOf(op.writes.front());
    return written.storageClass == graph::StorageClass::Buffer
           && std::any_of(written.names.begin(), written.names.end(), [&](std::string_view name) {
                  return name == kCounter
                         || (name.ends_with(kCounter)
                             && name[name.size() - kCounter.size() - 1] == '.');
              });
}

bool updatesStatistics(const graph::Program& program, const graph::Op& op)
{
    const std::string& target = program.targetOf(op);
    return !op.writes.empty()
           && (target == "aten.native_batch_norm.default"
               || target == "aten.cudnn_batch_norm.default"
               || target == "aten.miopen_batch_norm.default");
}

} // namespace plimsoll::plan
